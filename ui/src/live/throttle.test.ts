import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { throttled } from './throttle';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a burst runs the action at its start and at its end', () => {
  const action = vi.fn();
  const { call } = throttled(action, 1_000);
  for (let count = 0; count < 5; count += 1) call();
  expect(action).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1_000);
  expect(action).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(10_000);
  expect(action).toHaveBeenCalledTimes(2);
  call();
  expect(action).toHaveBeenCalledTimes(3);
});

test('calls without a pause run once per interval', () => {
  const action = vi.fn();
  const { call, stop } = throttled(action, 1_000);
  for (let ms = 0; ms < 10_000; ms += 100) {
    call();
    vi.advanceTimersByTime(100);
  }
  expect(action.mock.calls.length).toBeLessThanOrEqual(11);
  stop();
  vi.advanceTimersByTime(10_000);
  expect(action.mock.calls.length).toBeLessThanOrEqual(11);
});
