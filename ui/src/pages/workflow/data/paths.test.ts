import { expect, test } from 'vitest';
import { entriesOf, inserted, pathAt, pathBefore, pathText, preview, type Scope, typeOf, valueAt } from './paths';

const scope: Scope = {
  event: { body: { id: 7 } },
  steps: { load: { $return_value: { items: [{ 'a b': 1 }] } } },
};

test('the path before the cursor is completed', () => {
  expect(pathBefore('{{ steps.')).toEqual({ path: ['steps'], typed: '' });
  expect(pathBefore('x = event.body.i')).toEqual({ path: ['event', 'body'], typed: 'i' });
  expect(pathBefore('steps.load.$return_value.items[0].')).toEqual({
    path: ['steps', 'load', '$return_value', 'items', 0],
    typed: '',
  });
  expect(pathBefore('event?.body?.')).toEqual({ path: ['event', 'body'], typed: '' });
  for (const other of ['', 'event', 'mysteps.', 'this.event.', 'other.x', 'steps.load. ']) {
    expect(pathBefore(other), other).toBeUndefined();
  }
});

test('paths lead to values, and nowhere without an error', () => {
  expect(valueAt(scope, ['steps', 'load', '$return_value', 'items', 0, 'a b'])).toBe(1);
  for (const path of [
    ['steps', 'none', 'x'],
    ['event', 'constructor'],
    ['event', 'body', 'id', 'x'],
  ]) {
    expect(valueAt(scope, path)).toBeUndefined();
  }
  expect(pathText(['steps', 'load', '$return_value', 'items', 0, 'a b'])).toBe(
    'steps.load.$return_value.items[0]["a b"]',
  );
});

test('the path at a position ends with the part there', () => {
  const text = 'url: "{{ steps.load.$return_value }}"';
  expect(pathAt(text, text.indexOf('load') + 1)).toMatchObject({ path: ['steps', 'load'] });
  expect(pathAt(text, text.indexOf('value'))).toMatchObject({ path: ['steps', 'load', '$return_value'] });
  expect(pathAt(text, 1)).toBeUndefined();
});

test('values are described shortly', () => {
  expect(entriesOf({ a: 1 })).toEqual([{ key: 'a', value: 1 }]);
  expect(entriesOf('text')).toEqual([]);
  expect([typeOf([1, 2]), typeOf(null), typeOf({})]).toEqual(['list of 2', 'null', 'object']);
  expect(preview('x'.repeat(100))).toHaveLength(61);
});

test('a path is inserted as an expression, or into one', () => {
  expect(inserted('', [0, 0], ['event', 'id'])).toEqual({ text: '{{ event.id }}', at: 14 });
  expect(inserted('a {{ x }} b', [5, 6], ['event'])).toEqual({ text: 'a {{ event }} b', at: 10 });
  expect(inserted('{{ a }} ', [8, 8], ['event'])).toEqual({ text: '{{ a }} {{ event }}', at: 19 });
});
