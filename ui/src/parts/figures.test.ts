import { expect, test } from 'vitest';
import type { EmitterActivity } from '../api/types';
import { addCounts, sum } from './activity';
import { BARS_HEIGHT, barsOf } from './bars';
import { channelName, patternName } from './emitters';
import { bytes, count, short } from './figures';
import { type Timer, timerText, triggersOf, valuesOf } from './triggers';

test.each([
  [0, '0'],
  [999, '999'],
  [9_999, '9,999'],
  [10_000, '10K'],
  [1_234_567, '1.2M'],
  [Number.MAX_SAFE_INTEGER, '9007.2T'],
])('short(%d) is %s', (value, expected) => {
  expect(short(value)).toBe(expected);
});

test.each([
  [0, '0 B'],
  [1_023, '1,023 B'],
  [1_024, '1.0 KB'],
  [1_536, '1.5 KB'],
  [10_240, '10 KB'],
  [1_048_575, '1,024 KB'],
  [5 * 1024 ** 3, '5.0 GB'],
  [5_000 * 1024 ** 4, '5,000 TB'],
])('bytes(%d) is %s', (value, expected) => {
  expect(bytes(value)).toBe(expected);
});

test('counts have a singular and a plural', () => {
  expect(count(0, 'event')).toBe('0 events');
  expect(count(1, 'event')).toBe('1 event');
  expect(count(1_000, 'entry', 'entries')).toBe('1,000 entries');
});

test('bars are scaled to the highest total, and small values stay visible', () => {
  expect(barsOf([])).toEqual([]);
  expect(barsOf([0, 0])).toEqual([
    { fine: 0, failed: 0, top: BARS_HEIGHT },
    { fine: 0, failed: 0, top: BARS_HEIGHT },
  ]);
  const [low, high] = barsOf([1, 1_000], [0, 1_000]);
  expect(low).toEqual({ fine: 1.5, failed: 0, top: 18.5 });
  expect(high).toEqual({ fine: 10, failed: 10, top: 0 });
  expect(barsOf([1_000_000], [1])[0]?.top).toBe(0);
  expect(barsOf(Array.from({ length: 200_000 }, () => 1)).length).toBe(200_000);
});

const HOUR = 3_600_000;
const activity: EmitterActivity = { last_event_at: 5, events: [1, 2, 3], errors: [0, 0, 1], invocations: [1, 2, 4] };

test('counts are added to the current hour', () => {
  const counts = { events: 2, errors: 0, invocations: 3 };
  expect(addCounts(activity, counts, 10 * HOUR + 5, 10 * HOUR)).toEqual({
    last_event_at: 10 * HOUR + 5,
    events: [1, 2, 5],
    errors: [0, 0, 1],
    invocations: [1, 2, 7],
  });
});

test('later hours move the earlier ones', () => {
  const counts = { events: 0, errors: 1, invocations: 1 };
  const moved = addCounts(activity, counts, 11 * HOUR, 10 * HOUR + 3_599_999);
  expect(moved).toEqual({ last_event_at: 5, events: [2, 3, 0], errors: [0, 1, 1], invocations: [2, 4, 1] });
  expect(addCounts(activity, counts, 10_000 * HOUR, 0)).toMatchObject({ events: [0, 0, 0], errors: [0, 0, 1] });
});

test('a clock that went back changes only the last hour', () => {
  expect(addCounts(activity, { events: 1, errors: 0, invocations: 0 }, 0, 10 * HOUR).events).toEqual([1, 2, 4]);
});

test('an activity without hours stays empty', () => {
  const empty = { last_event_at: null, events: [], errors: [], invocations: [] } as unknown as EmitterActivity;
  expect(addCounts(empty, { events: 1, errors: 1, invocations: 1 }, 5, 0)).toMatchObject({ events: [], errors: [] });
  expect(sum([])).toBe(0);
  expect(sum([1, 2, 3])).toBe(6);
});

test('names of patterns and channels', () => {
  expect(patternName('dc_*')).toBe('All sources');
  expect(patternName('dc_abc')).toBeUndefined();
  expect(['', 'default', '$errors', '$logs', 'orders'].map(channelName)).toEqual([
    'Default',
    'Default',
    'Errors',
    'Logs',
    'orders',
  ]);
});

test('triggers and values are told apart', () => {
  const props = {
    http: { endpoint_url: 'http://localhost/e/x' },
    timer: { cron: null, interval_seconds: 60 },
    nightly: { cron: '0 3 * * *', interval_seconds: null, timezone: 'Asia/Tokyo' },
    db: { type: '$.service.db' },
    looksLikeATimer: { cron: 'x' },
    empty: { cron: null, interval_seconds: null },
    word: 'a',
    list: [1],
    none: null,
  };
  expect(triggersOf(props)).toEqual({
    endpoints: [{ prop: 'http', url: 'http://localhost/e/x' }],
    timers: [
      { prop: 'timer', cron: undefined, seconds: 60, timezone: undefined },
      { prop: 'nightly', cron: '0 3 * * *', seconds: undefined, timezone: 'Asia/Tokyo' },
    ],
  });
  expect(valuesOf(props).map(([name]) => name)).toEqual(['looksLikeATimer', 'empty', 'word', 'list', 'none']);
  expect(triggersOf({})).toEqual({ endpoints: [], timers: [] });
});

const timer = (more: Partial<Timer>): Timer => ({
  prop: 't',
  cron: undefined,
  seconds: undefined,
  timezone: undefined,
  ...more,
});
test.each([
  [{ seconds: 1 }, 'every second'],
  [{ seconds: 60 }, 'every minute'],
  [{ seconds: 90 }, 'every 90 seconds'],
  [{ seconds: 7_200 }, 'every 2 hours'],
  [{ seconds: 86_400 }, 'every day'],
  [{ seconds: 1_000_001 }, 'every 1,000,001 seconds'],
  [{ cron: '0 9 * * 1' }, 'cron 0 9 * * 1 in UTC'],
  [{ cron: '0 9 * * 1', timezone: 'Asia/Tokyo' }, 'cron 0 9 * * 1 in Asia/Tokyo'],
])('timerText(%j)', (more, expected) => {
  expect(timerText(timer(more))).toBe(expected);
});
