import { expect, it } from 'vitest';
import { isTraceId, traceHref } from './trace-link';

it('ids of all kinds are recognised, and names are not', () => {
  for (const id of [
    '1606370816223-0',
    'dc_K0uAee/1606370816223-0',
    '00VbMOOL6001p0rx0m0TG9wSfa3',
    'dlv_00VbMOOL6001p0rx0m0TG9wSfa3abc123',
    '0af7651916cd43dd8448eb211c80319c',
  ]) {
    expect(isTraceId(id)).toBe(true);
  }
  for (const text of ['orders', '12-3', 'dc_K0uAee', '']) expect(isTraceId(text)).toBe(false);
});

it('an id is escaped in the address', () => {
  expect(traceHref('dc_a/1606370816223-0')).toBe('/traces/dc_a%2F1606370816223-0');
  expect(traceHref('1606370816223-0', 'dc_a')).toBe('/traces/1606370816223-0?emitter=dc_a');
});
