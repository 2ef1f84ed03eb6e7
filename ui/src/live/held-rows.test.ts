import { expect, test } from 'vitest';
import { nextView } from './held-rows.svelte';

const row = (id: string, state = 'pending') => ({ id, state });
const rows = (ids: string) => [...ids].map((id) => row(id));
const view = (ids: string, pending = 0, gone = 0) => ({ page: '1', rows: rows(ids), pending, gone });
/** The view after a response that arrives while the user reads. */
const held = (shown: string, response: string) =>
  nextView(view(shown), { page: '1', rows: rows(response), held: true });

test('shows the newest rows', () => {
  expect(nextView(view('ba'), { page: '1', rows: rows('cba'), held: false })).toEqual(view('cba'));
});

test('keeps the places of rows while they are read, and updates them', () => {
  // The page has room for two rows.
  const first = nextView(view('ba'), { page: '1', rows: [row('c'), row('b', 'delivered')], held: true });
  expect(first).toEqual({ page: '1', rows: [row('b', 'delivered'), row('a')], pending: 1, gone: 0 });
  const second = nextView(first, { page: '1', rows: rows('dc'), held: true });
  expect(second).toEqual({ page: '1', rows: [row('b', 'delivered'), row('a')], pending: 2, gone: 0 });
  expect(nextView(second, { page: '1', rows: rows('dc'), held: false })).toEqual(view('dc'));
});

test('shows another page at once, when it is loaded', () => {
  expect(nextView(view('ba'), { page: '2', rows: undefined, held: true })).toEqual(view('ba'));
  expect(nextView(view('ba'), { page: '2', rows: rows('z'), held: true })).toEqual({ ...view('z'), page: '2' });
});

test('appends rows below, and holds those above', () => {
  expect(held('dc', 'dcba')).toEqual(view('dcba'));
  expect(held('dc', 'fedcba')).toEqual(view('dcba', 2));
  // New rows moved c to the next page, until that is loaded.
  expect(held('dc', 'ed')).toEqual(view('dc', 1));
  expect(held('dc', 'edcb')).toEqual(view('dcb', 1));
});

test('counts rows that are gone', () => {
  expect(held('cba', 'ba')).toEqual(view('cba', 0, 1));
  expect(held('cba', 'cb')).toEqual(view('cba', 0, 1));
  expect(held('cba', '')).toEqual(view('cba', 0, 3));
  expect(held('cba', 'dca')).toEqual(view('cba', 1, 1));
});

test('a page does not grow by the rows that follow those that are gone', () => {
  expect(held('dcb', 'cba')).toEqual(view('dcb', 0, 1));
  expect(held('dcb', 'cbaz')).toEqual(view('dcba', 0, 1));
});

test('holds nothing in an empty list', () => {
  expect(held('', 'a')).toEqual(view('a'));
});
