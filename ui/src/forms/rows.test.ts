import { expect, test } from 'vitest';
import { choiceRows, moved, suggestedRow } from './choice-rows';
import { isEmptyRequest, isNested, listOf, objectOf, pairsOf, withoutEmptyRows } from './rows';

test('empty rows are no elements of a list', () => {
  expect(listOf('string', ['a', '', 'b'])).toEqual(['a', 'b']);
  expect(listOf('string', ['', ''])).toBeUndefined();
  expect(listOf('string', [])).toBeUndefined();
  expect(listOf('integer', ['7', 'x'])).toEqual([7, 'x']);
  expect(listOf('any', ['{"a":1}', 'null', 'text'])).toEqual([{ a: 1 }, null, 'text']);
});

test('rows without a name are no fields of an object', () => {
  expect(objectOf([])).toBeUndefined();
  expect(objectOf([{ name: '', value: 'lost' }])).toBeUndefined();
  expect(
    objectOf([
      { name: 'deep', value: '{"a": [1]}' },
      { name: 'text', value: 'not JSON' },
      { name: 'empty', value: '' },
      { name: 'ключ 🔑', value: '1' },
    ]),
  ).toEqual({ deep: { a: [1] }, text: 'not JSON', empty: '', 'ключ 🔑': 1 });
});

test('the name __proto__ is an ordinary field', () => {
  const value = objectOf([{ name: '__proto__', value: '{"a":1}' }]);
  expect(Object.keys(value ?? {})).toEqual(['__proto__']);
  expect(pairsOf(value)).toEqual([{ name: '__proto__', value: '{"a":1}' }]);
});

test.each([
  [undefined, false],
  [{}, false],
  [{ a: 1, b: null, c: 'x' }, false],
  [{ a: [] }, true],
  [{ a: { b: 1 } }, true],
  ['text', true],
  [[1], true],
  [null, true],
])('isNested(%j) is %s', (value, expected) => {
  expect(isNested(value)).toBe(expected);
});

test('pairs are read from objects and lists', () => {
  expect(pairsOf({ a: 1, b: 'x', c: null })).toEqual([
    { name: 'a', value: '1' },
    { name: 'b', value: 'x' },
    { name: 'c', value: '' },
  ]);
  expect(pairsOf([{ name: 'a', value: 1 }, { name: 'b' }, 'bad', null])).toEqual([
    { name: 'a', value: '1' },
    { name: 'b', value: '' },
    { name: '', value: '' },
    { name: '', value: '' },
  ]);
  expect(pairsOf(undefined)).toEqual([]);
  expect(pairsOf('x')).toEqual([]);
});

test('a request without content except its method is empty', () => {
  expect(isEmptyRequest({})).toBe(true);
  expect(isEmptyRequest({ method: 'POST', url: '', headers: [], body: undefined })).toBe(true);
  expect(isEmptyRequest({ url: 'https://example.com' })).toBe(false);
  expect(isEmptyRequest({ headers: [{ name: '', value: '' }] })).toBe(false);
  expect(isEmptyRequest({ auth: { type: 'basic' } })).toBe(false);
});

test('header and parameter rows without a name are dropped', () => {
  const request = {
    url: 'u',
    headers: [
      { name: '', value: 'x' },
      { name: 'a', value: '' },
    ],
    params: [{ name: '' }],
  };
  expect(withoutEmptyRows(request)).toEqual({ url: 'u', headers: [{ name: 'a', value: '' }], params: [] });
  expect(withoutEmptyRows({ query: 'select $1', params: [4, null] })).toEqual({
    query: 'select $1',
    params: [4, null],
  });
  expect(withoutEmptyRows({ headers: 'x' })).toEqual({ headers: 'x' });
  expect(withoutEmptyRows([1])).toEqual([1]);
  expect(withoutEmptyRows(undefined)).toBeUndefined();
});

const choices = ['Ada', 'Grace', 'Edsger'].map((label) => ({ label, value: label }));
const list = { choices, query: '', filtered: false, more: false, custom: false };
const texts = (more: Partial<typeof list>) => choiceRows({ ...list, ...more }).map(({ text }) => text);

test('options are filtered by the typed text unless they are search results', () => {
  expect(texts({})).toEqual(['Ada', 'Grace', 'Edsger']);
  expect(texts({ query: 'GR' })).toEqual(['Grace']);
  expect(texts({ query: 'gr', filtered: true })).toEqual(['Ada', 'Grace', 'Edsger']);
  expect(texts({ query: 'nobody' })).toEqual([]);
  expect(texts({ query: 'gr', more: true })).toEqual(['Grace', 'Load more']);
});

test('a custom value is offered unless it is an option', () => {
  expect(texts({ query: 'ada', custom: true })).toEqual(['Ada', 'Use “ada”']);
  expect(texts({ query: 'Ada', custom: true })).toEqual(['Ada']);
  expect(texts({ query: '', custom: true, choices: [] })).toEqual([]);
  expect(texts({ query: 'x', custom: true, more: true })).toEqual(['Load more', 'Use “x”']);
});

test('Enter selects the option that was typed, the typed text, or without custom values the first match', () => {
  const suggested = (query: string, loading = false, custom = true) => {
    const rows = choiceRows({
      ...list,
      choices: [{ label: 'Adam', value: 1 }, ...choices],
      query,
      more: true,
      custom,
    });
    return rows[suggestedRow(rows, query, loading)]?.text;
  };
  expect(suggested('')).toBeUndefined();
  expect(suggested('Ada')).toBe('Ada');
  expect(suggested('ad')).toBe('Use “ad”');
  expect(suggested('Barbara')).toBe('Use “Barbara”');
  expect(suggested('Barbara', true)).toBe('Use “Barbara”');
  expect(suggested('ad', false, false)).toBe('Adam');
  expect(suggested('ad', true, false)).toBeUndefined();
});

test('the arrow keys go around', () => {
  expect(moved(-1, 1, 3)).toBe(0);
  expect(moved(-1, -1, 3)).toBe(2);
  expect(moved(2, 1, 3)).toBe(0);
  expect(moved(0, -1, 3)).toBe(2);
  expect(moved(1, 1, 3)).toBe(2);
  expect(moved(0, 1, 1)).toBe(0);
  expect(moved(-1, 1, 0)).toBe(-1);
});
