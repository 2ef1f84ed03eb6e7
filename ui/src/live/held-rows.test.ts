import { expect, test } from 'vitest';
import { nextView } from './held-rows.svelte';

const row = (id: string, state = 'pending') => ({ id, state });
const rows = (ids: string) => [...ids].map((id) => row(id));
const view = (ids: string) => ({ page: '1', rows: rows(ids), pending: 0 });

test('shows the newest rows', () => {
  expect(nextView(view('ba'), { page: '1', rows: rows('cba'), held: false })).toEqual(view('cba'));
});

test('keeps the places of rows while they are read, and updates them', () => {
  // The page has room for two rows.
  const first = nextView(view('ba'), { page: '1', rows: [row('c'), row('b', 'delivered')], held: true });
  expect(first).toEqual({ page: '1', rows: [row('b', 'delivered'), row('a')], pending: 1 });
  const second = nextView(first, { page: '1', rows: rows('dc'), held: true });
  expect(second).toEqual({ page: '1', rows: [row('b', 'delivered'), row('a')], pending: 2 });
  expect(nextView(second, { page: '1', rows: rows('dc'), held: false })).toEqual(view('dc'));
});

test('shows another page at once, when it is loaded', () => {
  expect(nextView(view('ba'), { page: '2', rows: undefined, held: true })).toEqual(view('ba'));
  expect(nextView(view('ba'), { page: '2', rows: rows('z'), held: true })).toEqual({ ...view('z'), page: '2' });
});
