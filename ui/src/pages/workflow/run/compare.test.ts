import { expect, test } from 'vitest';
import type { RunStep } from '../../../api/types';
import { change, comparable, differing, pairs } from './compare';

function step(name: string, attempt = 1, more: Partial<RunStep> = {}): RunStep {
  return {
    name,
    attempt,
    position: 0,
    state: 'completed',
    started_at_ms: 0,
    duration_ms: 1,
    exports: {},
    logs: [],
    inputs: {},
    ...more,
  };
}

test('steps of both runs are paired in their order', () => {
  const a = { steps: [step('load'), step('save'), step('tell')] };
  const b = { steps: [step('load'), step('load', 2), step('check'), step('tell')] };
  const found = pairs(a, b).map(({ key, a, b }) => [key, a !== undefined, b !== undefined]);
  expect(found).toEqual([
    ['load 1', true, true],
    ['load 2', false, true],
    ['check 1', false, true],
    ['save 1', true, false],
    ['tell 1', true, true],
  ]);
});

test('the order of keys is no difference', () => {
  expect(comparable({ b: [1, { d: 1, c: 2 }], a: 1 })).toBe(comparable({ a: 1, b: [1, { c: 2, d: 1 }] }));
  expect(comparable(null)).toBe('');
});

test('the parts that differ are named', () => {
  const a = step('load', 1, { inputs: { url: 'a' }, exports: { n: 1 } });
  const b = step('load', 1, { inputs: { url: 'b' }, exports: { n: 1 }, error: { code: 'E' } });
  const pair = pairs({ steps: [a] }, { steps: [b] })[0];
  expect(pair && differing(pair)).toEqual(['inputs', 'error']);
});

test('changes of durations have a sign', () => {
  const format = (ms: number) => `${ms} ms`;
  expect(change(10, 30, format)).toBe('+20 ms');
  expect(change(30, 10, format)).toBe('−20 ms');
  expect(change(5, 5, format)).toBe('±0 ms');
  expect(change(undefined, 5, format)).toBeUndefined();
});
