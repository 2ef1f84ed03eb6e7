import { describe, expect, test } from 'vitest';
import { type Schedule, scheduleOf, scheduleText, scheduleValue, unitOf, zones } from './schedule';

test.each([
  [undefined, { kind: 'interval', seconds: 3_600 }],
  [null, { kind: 'interval', seconds: 3_600 }],
  ['0 9 * * *', { kind: 'interval', seconds: 3_600 }],
  [[15], { kind: 'interval', seconds: 3_600 }],
  [{}, { kind: 'interval', seconds: 3_600 }],
  [{ intervalSeconds: '15' }, { kind: 'interval', seconds: 3_600 }],
  [{ intervalSeconds: 15 }, { kind: 'interval', seconds: 15 }],
  [
    { interval_seconds: 15, cron: null },
    { kind: 'interval', seconds: 15 },
  ],
  [{ intervalSeconds: 0 }, { kind: 'interval', seconds: 0 }],
  [{ cron: '0 9 * * *' }, { kind: 'cron', cron: '0 9 * * *', timezone: 'UTC' }],
  [
    { cron: '', interval_seconds: null, timezone: 'Asia/Tokyo' },
    { kind: 'cron', cron: '', timezone: 'Asia/Tokyo' },
  ],
])('scheduleOf(%j)', (value, expected) => {
  expect(scheduleOf(value)).toEqual(expected);
});

test('a schedule is written in the form of component code', () => {
  expect(scheduleValue({ kind: 'interval', seconds: 900 })).toEqual({ intervalSeconds: 900 });
  expect(scheduleValue({ kind: 'cron', cron: '* * * * *', timezone: 'UTC' })).toEqual({ cron: '* * * * *' });
  expect(scheduleValue({ kind: 'cron', cron: '* * * * *', timezone: '' })).toEqual({ cron: '* * * * *' });
  const berlin: Schedule = { kind: 'cron', cron: '* * * * *', timezone: 'Europe/Berlin' };
  expect(scheduleOf(scheduleValue(berlin))).toEqual(berlin);
});

test.each([
  [1, 'seconds'],
  [59, 'seconds'],
  [60, 'minutes'],
  [90, 'seconds'],
  [3_600, 'hours'],
  [5_400, 'minutes'],
  [86_400, 'days'],
  [90_000, 'hours'],
  [31_536_000, 'days'],
  [0, 'seconds'],
  [0.5, 'seconds'],
  [-60, 'seconds'],
  [Number.NaN, 'seconds'],
])('%d seconds are shown in %s', (seconds, unit) => {
  expect(unitOf(seconds).name).toBe(unit);
});

describe('scheduleText', () => {
  test.each([
    [1, 'Every second'],
    [15, 'Every 15 seconds'],
    [60, 'Every minute'],
    [900, 'Every 15 minutes'],
    [3_600, 'Every hour'],
    [7_200, 'Every 2 hours'],
    [86_400, 'Every day'],
    [31_536_000, 'Every 365 days'],
    [86_399, 'Every 86,399 seconds'],
  ])('%d seconds', (seconds, expected) => {
    expect(scheduleText({ kind: 'interval', seconds })).toBe(expected);
  });

  test('a cron expression has its zone', () => {
    expect(scheduleText({ kind: 'cron', cron: '0 9 * * 1-5', timezone: 'Europe/Berlin' })).toBe(
      '0 9 * * 1-5 in Europe/Berlin',
    );
  });
});

test('zones start with the local one and have no duplicates', () => {
  const all = zones();
  expect(all[0]).toBe('Europe/Berlin');
  expect(all[1]).toBe('UTC');
  expect(new Set(all).size).toBe(all.length);
  expect(all).toContain('Asia/Tokyo');
});
