import { describe, expect, test } from 'vitest';
import { elements, isEmpty, jsonOrText, labelOf, parseValue, plain, readable, same, stored, textOf } from './value';

const labelled = (label: string, value: unknown) => ({ __lv: { label, value } });
const choices = [
  { label: 'Tomorrow', value: 1 },
  { label: 'Next week', value: 7 },
];

describe('parseValue', () => {
  test.each([
    ['string', '', undefined],
    ['string', ' a ', ' a '],
    ['string', '{"a":1}', '{"a":1}'],
    ['string', 'ünï 🚀\r\n\t', 'ünï 🚀\r\n\t'],
    ['integer', '', undefined],
    ['integer', '12', 12],
    ['integer', ' -3 ', -3],
    ['integer', '007', 7],
    ['integer', '1.5', '1.5'],
    ['integer', '1e3', '1e3'],
    ['integer', 'x', 'x'],
    ['integer', ' ', ' '],
    ['any', '[1, "two"]', [1, 'two']],
    ['any', 'null', null],
    ['any', '{"a": ', '{"a": '],
    ['any', 'plain', 'plain'],
    ['object', '{"a":{"b":[]}}', { a: { b: [] } }],
  ])('%s %j', (type, text, expected) => {
    expect(parseValue(type, text)).toEqual(expected);
  });

  test('an integer that a number cannot hold stays text', () => {
    expect(parseValue('integer', '9007199254740991')).toBe(9_007_199_254_740_991);
    expect(parseValue('integer', '9007199254740993')).toBe('9007199254740993');
    expect(parseValue('integer', '1'.repeat(400))).toBe('1'.repeat(400));
  });
});

test.each([
  [undefined, ''],
  [null, ''],
  ['', ''],
  ['text', 'text'],
  [0, '0'],
  [false, 'false'],
  [[1, 'two'], '[1,"two"]'],
  [{ a: null }, '{"a":null}'],
])('textOf(%j)', (value, expected) => {
  expect(textOf(value)).toBe(expected);
});

test('text that is not JSON stays text', () => {
  expect(jsonOrText('')).toBe('');
  expect(jsonOrText('01')).toBe('01');
  expect(jsonOrText('"a"')).toBe('a');
  expect(jsonOrText('\ufeff1')).toBe('\ufeff1');
});

describe('labelled values', () => {
  test('a label is stored if it cannot be looked up later', () => {
    expect(stored({ label: 'a', value: 'a' }, false)).toBe('a');
    expect(stored({ label: '1', value: 1 }, false)).toBe(1);
    expect(stored({ label: 'Bremen', value: 'c-1' }, false)).toEqual(labelled('Bremen', 'c-1'));
    expect(stored({ label: 'a', value: 'a' }, true)).toEqual(labelled('a', 'a'));
  });

  test('plain removes the label', () => {
    expect(plain(labelled('Bremen', 'c-1'))).toBe('c-1');
    expect(plain(labelled('None', null))).toBeNull();
    expect(plain(labelled('No', false))).toBe(false);
    expect(plain(5)).toBe(5);
    expect(plain(null)).toBeNull();
    expect(plain({ __lv: 'x' })).toEqual({ __lv: 'x' });
    expect(plain({ __lv: null })).toEqual({ __lv: null });
  });

  test('same ignores labels', () => {
    expect(same(labelled('Bremen', 'c-1'), 'c-1')).toBe(true);
    expect(same(labelled('Bremen', 'c-1'), labelled('HB', 'c-1'))).toBe(true);
    expect(same({ a: [1] }, { a: [1] })).toBe(true);
    expect(same(1, '1')).toBe(false);
    expect(same(undefined, undefined)).toBe(true);
    expect(same(undefined, null)).toBe(false);
  });

  test('elements reads lists with and without labels', () => {
    expect(elements([1, 2])).toEqual([1, 2]);
    expect(elements({ __lv: [{ label: 'a', value: 1 }] })).toEqual([labelled('a', 1)]);
    expect(elements(labelled('a', 1))).toEqual([labelled('a', 1)]);
    expect(elements('x')).toEqual(['x']);
    expect(elements(undefined)).toEqual([]);
    expect(elements(null)).toEqual([]);
    expect(elements(0)).toEqual([0]);
    expect(elements([])).toEqual([]);
  });

  test('labels come from the value, else from the choices, else the value is the label', () => {
    expect(labelOf(labelled('Bremen', 1), choices)).toBe('Bremen');
    expect(labelOf({ __lv: { value: 9 } }, choices)).toBe('9');
    expect(labelOf(7, choices)).toBe('Next week');
    expect(labelOf(8, choices)).toBe('8');
    expect(readable([1, 7, 30], choices)).toBe('Tomorrow, Next week, 30');
    expect(
      readable(
        {
          __lv: [
            { label: 'a', value: 1 },
            { label: 'b', value: 2 },
          ],
        },
        [],
      ),
    ).toBe('a, b');
    expect(readable([], choices)).toBe('');
    expect(readable({ a: 1 }, choices)).toBe('{"a":1}');
  });
});

test.each([
  [undefined, true],
  [null, true],
  ['', true],
  [' ', false],
  [0, false],
  [false, false],
  [[], false],
])('isEmpty(%j) is %s', (value, expected) => {
  expect(isEmpty(value)).toBe(expected);
});
