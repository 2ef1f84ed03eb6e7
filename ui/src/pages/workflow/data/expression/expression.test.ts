import { expect, test } from 'vitest';
import { evaluate, Unknown } from './evaluate';
import { namesOf } from './names';
import { partsOf, resultOf } from './template';

const scope = {
  event: { body: { id: 7, name: 'Ada', none: null }, headers: { 'content-type': 'text/plain' } },
  steps: {
    trigger: { event: {} },
    load: {
      $return_value: {
        items: [
          { id: 1, price: 2.5 },
          { id: 2, price: 4 },
        ],
        ok: true,
      },
    },
    later: undefined,
  },
  process: { env: { SHOP: 'https://shop.test', TOKEN: undefined } },
};
const names = namesOf(scope);

/** The real language, which the preview has to agree with. */
const real = (source: string): unknown =>
  new Function('event', 'steps', 'process', `return (${source}\n)`)(scope.event, scope.steps, scope.process);

test.each([
  'event.body.id',
  'event["headers"]["content-type"]',
  'event.body.missing',
  'event.missing?.deeper.still',
  'event.missing?.[0].a()',
  '(event.missing?.a) ?? "none"',
  'event.body.none ?? event.body.id',
  'event.body.name.toUpperCase() + "!"',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of an expression.
  '`${event.body.name}: ${event.body.id * 2}\\n`',
  'event.body.id > 5 && event.body.name !== "Bob" ? "yes" : "no"',
  'event.body.id > 9 || !event.body.name',
  '-event.body.id + (+"3") ** 2 % 5 - 1 / 4',
  'typeof event.body',
  'steps.load.$return_value.items.map((item, index) => item.id + index)',
  'steps.load.$return_value.items.filter((item) => item.id > 1).length',
  'steps.load.$return_value.items.reduce((sum, item) => sum + item.price, 0).toFixed(2)',
  'steps.load.$return_value.items.map(i => ({ id: i.id, "a b": 1, [i.price]: 2, ...event.body }))',
  '[0, ...steps.load.$return_value.items, "x"].length',
  'Math.max(1, 2, event.body.id)',
  'Object.keys(event.body).join(", ")',
  'JSON.stringify(event.body)',
  'encodeURIComponent("a b&c")',
  'Number("1_0") || parseInt("12px")',
  '"\\u00e4\\x41\\t\\"" + \'it\\\'s\'',
  '0x1f + 1_000',
  'event.body.id /* a comment */ + 1 // another',
  'process.env.SHOP',
  'undefined',
])('%s', (source) => {
  expect(evaluate(source, names)).toEqual(real(source));
});

test.each(['event.missing.deeper', 'steps.none.x', 'nowhere', 'event.body.nothing()', 'event.body.id()'])(
  '%s throws',
  (source) => {
    expect(() => real(source)).toThrow();
    expect(() => evaluate(source, names)).toThrow(Error);
    expect(() => evaluate(source, names)).not.toThrow(Unknown);
  },
);

test.each([
  'steps.later.x',
  'process.env.TOKEN',
  'steps.trigger.context.id',
  'globalThis',
  'fetch("x")',
  'constructor("x")',
  'event.constructor',
  'event.body.name.constructor("x")',
  'new Date()',
  'event.body.id = 1',
  'event.body.name.repeat(9)',
  '/x/.test("x")',
  '({ __proto__: event })',
  'this',
  '() => { return 1 }',
  '({ id }) => id',
  'steps.',
  '1; 2',
  '1) + (2',
  '',
])('%s is left to the sandbox', (source) => {
  expect(() => evaluate(source, names)).toThrow(Unknown);
});

test('long evaluations end', () => {
  const many = { list: Array.from({ length: 1_000 }, (_, index) => index) };
  expect(() => evaluate('list.map((a) => list.map((b) => a + b))', many)).toThrow(Unknown);
});

test('a text is split at its expressions', () => {
  expect(partsOf('a {{ b }} c')).toEqual(['a ', { source: 'b' }, ' c']);
  expect(partsOf('{{ {a: {b: 1}} }}')).toEqual([{ source: '{a: {b: 1}}' }]);
  expect(partsOf('{{ "}}" }}')).toEqual([{ source: '"}}"' }]);
  expect(partsOf('{{a}}{{b}}')).toEqual([{ source: 'a' }, { source: 'b' }]);
  expect(partsOf('{{ a')).toBeUndefined();
  expect(partsOf('plain')).toEqual(['plain']);
});

test('the result of a text', () => {
  expect(resultOf('{{ event.body.id }}', names)).toEqual({ kind: 'value', value: 7 });
  expect(resultOf(' {{ event.body.id }}', names)).toEqual({ kind: 'value', value: ' 7' });
  expect(resultOf('{{ event.body.none }}{{ event.body }}', names)).toEqual({
    kind: 'value',
    value: JSON.stringify(scope.event.body),
  });
  expect(resultOf('{{ event.x.y }}', names)).toEqual({
    kind: 'error',
    message: "Cannot read properties of undefined (reading 'y')",
  });
  expect(resultOf('{{ steps.later.x }}', names)).toEqual({ kind: 'unknown', message: 'There is no data of later yet' });
  expect(resultOf('{{ process.env.TOKEN }}', names)).toEqual({ kind: 'unknown', message: 'TOKEN is a secret' });
  expect(resultOf('{{ steps.', names).kind).toBe('unknown');
  expect(resultOf('{{ steps. }}', names).kind).toBe('unknown');
});
