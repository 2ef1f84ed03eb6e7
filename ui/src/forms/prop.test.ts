import { describe, expect, test } from 'vitest';
import { keyFields } from './accounts/keys';
import { boundsText, elementType, isShown, propsOf, takesValue, withDefaults } from './prop';

const one = (row: object) => propsOf([{ name: 'x', ...row }])[0];

describe('propsOf', () => {
  test('invalid rows are dropped', () => {
    expect(propsOf([null, 'x', 5, [], {}, { name: 5 }, { name: 'ok' }]).map(({ name }) => name)).toEqual(['ok']);
    expect(propsOf([])).toEqual([]);
  });

  test('labels fall back to a default and to the name', () => {
    expect(one({})?.label).toBe('x');
    expect(one({ label: '  ' })?.label).toBe('x');
    expect(one({ label: ' Title ' })?.label).toBe('Title');
    expect(one({ label: 5 })?.label).toBe('x');
    expect(one({ type: '$.interface.http' })?.label).toBe('HTTP endpoint');
    expect(one({ type: '$.interface.timer', label: 'Schedule' })?.label).toBe('Schedule');
  });

  test('flags are set only by true', () => {
    const given = { optional: 1, secret: 'yes', hidden: null, reloadProps: undefined };
    expect(one(given)).toMatchObject({ optional: false, secret: false, hidden: false, reloadProps: false });
    expect(one({ optional: true, secret: true })).toMatchObject({ optional: true, secret: true });
    expect(one({ type: 'app', secret: true })?.secret).toBe(false);
  });

  test('false and zero are defaults, null is none', () => {
    expect(one({ type: 'boolean', default: false })?.default).toBe(false);
    expect(one({ type: 'integer', default: 0 })?.default).toBe(0);
    expect(one({ default: null })?.default).toBeUndefined();
    expect(one({ min: 0, max: '9' })).toMatchObject({ min: 0, max: undefined });
  });

  test('options have labels', () => {
    const options = ['a', 1, null, { label: 'Red', value: 'r' }, { value: 2 }, { label: 'no value' }];
    expect(one({ options })?.options).toEqual([
      { label: 'a', value: 'a' },
      { label: '1', value: '1' },
      { label: '', value: null },
      { label: 'Red', value: 'r' },
      { label: '2', value: '2' },
      { label: '{"label":"no value"}', value: { label: 'no value' } },
    ]);
    expect(one({ options: 'a' })?.options).toEqual([]);
  });

  test('numbers for texts are text, as the server stores them', () => {
    const values = (type: string) =>
      one({ type, options: [1, { label: 'Two', value: 2 }] })?.options.map(({ value }) => value);
    expect(values('string')).toEqual(['1', '2']);
    expect(values('string[]')).toEqual(['1', '2']);
    expect(values('integer[]')).toEqual([1, 2]);
    expect(one({ type: 'string', default: 2 })?.default).toBe('2');
    expect(one({ type: 'string[]', default: [2, true] })?.default).toEqual(['2', 'true']);
    expect(one({ type: 'any', default: 2 })?.default).toBe(2);
  });
});

test('blank descriptions are dropped, and Markdown is kept', () => {
  const rows = [undefined, null, 5, '', ' \n ', ' **bold** '].map((description) => one({ description }));
  expect(rows.map((prop) => prop?.description)).toEqual([...Array(5).fill(undefined), '**bold**']);
});

test('types decide what is shown and what takes a value', () => {
  const kinds = ['string', '$.interface.http', '$.service.db', 'dir', 'alert', 'app'].map((type) => one({ type }));
  expect(kinds.map((prop) => prop && [isShown(prop), takesValue(prop)])).toEqual([
    [true, true],
    [true, false],
    [false, false],
    [false, false],
    [true, false],
    [true, true],
  ]);
  const hidden = one({ hidden: true });
  expect(hidden && isShown(hidden)).toBe(false);
});

test('defaults of optional props and of props without a value are left to the server', () => {
  const props = propsOf([
    { name: 'a', type: 'integer', default: 0 },
    { name: 'b', default: 'x', optional: true },
    { name: 'c' },
    { name: 'd', type: '$.interface.http', default: 'x' },
  ]);
  expect(withDefaults(props)).toEqual({ a: 0 });
});

test.each([
  [{ min: undefined, max: undefined }, undefined],
  [{ min: 0, max: undefined }, 'At least 0'],
  [{ min: undefined, max: 0 }, 'At most 0'],
  [{ min: -1, max: 1 }, 'From -1 to 1'],
])('boundsText(%j)', (bounds, expected) => {
  expect(boundsText(bounds)).toBe(expected);
});

test('the element type of a list', () => {
  expect(propsOf([{ name: 'a', type: 'integer[]' }]).map(elementType)).toEqual(['integer']);
  expect(propsOf([{ name: 'a', type: 'object' }]).map(elementType)).toEqual([undefined]);
});

describe('keyFields', () => {
  test('invalid JSON and other values have no fields', () => {
    for (const json of ['', '{', 'null', '{}', '5']) expect(keyFields(json)).toEqual([]);
  });

  test('names that suggest a secret are secret', () => {
    const fields = keyFields(
      '[{"name":"api_key"},{"name":"Region","label":""},{"name":"pin","type":"password"},{"x":1},"y"]',
    );
    expect(fields.map(({ name, label, secret }) => [name, label, secret])).toEqual([
      ['api_key', 'api_key', true],
      ['Region', 'Region', false],
      ['pin', 'pin', true],
    ]);
    expect(keyFields('[{"name":"a","default":"d","optional":true,"description":"D"}]')).toEqual([
      { name: 'a', label: 'a', description: 'D', optional: true, secret: false, default: 'd' },
    ]);
  });
});
