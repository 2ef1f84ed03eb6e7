import { describe, expect, test } from 'vitest';
import { clockTime, dayOf, duration, exactTime, relativeTime } from './time';
import { bounds, fromLocal, readRange, toLocal, writeRange } from './time-range';

const NOW = Date.parse('2024-05-15T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  [0, 'now'],
  [-999, 'now'],
  [999, 'now'],
  [-1_000, '1s ago'],
  [-59_999, '59s ago'],
  [-MINUTE, '1m ago'],
  [-HOUR + 1, '59m ago'],
  [-HOUR, '1h ago'],
  [2 * HOUR, 'in 2h'],
  [-DAY, 'yesterday'],
  [DAY, 'tomorrow'],
  [-45 * DAY, 'last mo.'],
  [-800 * DAY, '2y ago'],
])('%d ms from now is %s', (difference, expected) => {
  expect(relativeTime(NOW + difference, NOW)).toBe(expected);
});

test.each([
  [0, '0 ms'],
  [84.9, '84 ms'],
  [999.9, '999 ms'],
  [1_000, '1.0 s'],
  [1_299, '1.2 s'],
  [9_999, '9.9 s'],
  [10_000, '10 s'],
  [59_999, '59 s'],
  [60_000, '1 min 0 s'],
  [184_000, '3 min 4 s'],
  [3_599_999, '59 min 59 s'],
  [3_600_000, '1 h 0 min'],
  [47 * HOUR + 59 * MINUTE, '47 h 59 min'],
  [48 * HOUR, '2 days'],
  [10_000 * DAY, '10000 days'],
])('duration(%d) is %s', (ms, expected) => {
  expect(duration(ms)).toBe(expected);
});

test('times are in the local zone', () => {
  expect(exactTime(NOW).replaceAll('\u202f', ' ')).toBe('May 15, 2024, 2:00:00.000 PM GMT+2');
  expect(clockTime(NOW).replaceAll('\u202f', ' ')).toBe('2:00:00 PM');
});

describe('dayOf', () => {
  test('days begin at local midnight', () => {
    // Midnight in Berlin is 22:00 UTC.
    expect(dayOf(Date.parse('2024-05-14T22:00:00Z'), NOW).name).toBe('Today');
    expect(dayOf(Date.parse('2024-05-14T21:59:59.999Z'), NOW).name).toBe('Yesterday');
    expect(dayOf(Date.parse('2024-05-13T12:00:00Z'), NOW).name).toBe('Monday, May 13, 2024');
    expect(dayOf(NOW + DAY, NOW).name).toBe('Thursday, May 16, 2024');
  });

  test('yesterday is found on days with 23 and 25 hours', () => {
    const afterLongDay = Date.parse('2024-10-27T23:30:00Z');
    expect(dayOf(Date.parse('2024-10-27T12:00:00Z'), afterLongDay).name).toBe('Yesterday');
    const endOfLongDay = Date.parse('2024-10-27T22:30:00Z');
    expect(dayOf(Date.parse('2024-10-26T12:00:00Z'), endOfLongDay).name).toBe('Yesterday');
    const afterShortDay = Date.parse('2024-03-31T22:30:00Z');
    expect(dayOf(Date.parse('2024-03-31T12:00:00Z'), afterShortDay).name).toBe('Yesterday');
    expect(dayOf(Date.parse('2024-03-30T12:00:00Z'), afterShortDay).name).toBe('Saturday, March 30, 2024');
  });

  test('the key is the same for the whole day', () => {
    const keys = [0, 5, 21].map((hours) => dayOf(Date.parse('2024-05-14T22:00:00Z') + hours * HOUR, NOW).key);
    expect(new Set(keys).size).toBe(1);
  });
});

describe('time ranges', () => {
  const none = { range: undefined, since: undefined, until: undefined };

  test.each([
    [none, { kind: 'any' }],
    [
      { ...none, range: '24h' },
      { kind: 'last', preset: '24h' },
    ],
    [{ ...none, range: 'nonsense' }, { kind: 'any' }],
    [{ ...none, range: 'toString' }, { kind: 'any' }],
    [
      { ...none, range: 'between' },
      { kind: 'between', since: undefined, until: undefined },
    ],
    [
      { ...none, since: '5' },
      { kind: 'between', since: 5, until: undefined },
    ],
    [
      { range: 'between', since: 'x', until: '' },
      { kind: 'between', since: undefined, until: undefined },
    ],
    [
      { range: 'between', since: '1.5', until: '9e15' },
      { kind: 'between', since: undefined, until: undefined },
    ],
  ])('readRange(%j)', (params, expected) => {
    expect(readRange(params)).toEqual(expected);
  });

  test('a range is read as it was written', () => {
    for (const params of [none, { ...none, range: '7d' }, { range: 'between', since: '0', until: '1715774400000' }]) {
      expect(writeRange(readRange(params))).toEqual(params);
    }
  });

  test('bounds of the API', () => {
    expect(bounds({ kind: 'any' }, NOW)).toEqual({});
    expect(bounds({ kind: 'last', preset: '1h' }, NOW)).toEqual({ since: String(NOW - HOUR) });
    expect(bounds({ kind: 'between', since: 0 }, NOW)).toEqual({ since: '0' });
    expect(bounds({ kind: 'between', until: 7 }, NOW)).toEqual({ until: '7' });
  });

  test('local times of form fields', () => {
    expect(toLocal(undefined)).toBe('');
    expect(toLocal(NOW)).toBe('2024-05-15T14:00:00');
    expect(fromLocal('2024-05-15T14:00')).toBe(NOW);
    expect(fromLocal('')).toBeUndefined();
    expect(fromLocal('yesterday')).toBeUndefined();
    // The hour that is repeated in autumn and the one that is skipped in spring.
    expect(toLocal(Date.parse('2024-10-27T00:30:00Z'))).toBe('2024-10-27T02:30:00');
    expect(toLocal(Date.parse('2024-10-27T01:30:00Z'))).toBe('2024-10-27T02:30:00');
    expect(fromLocal('2024-03-31T02:30')).toBe(Date.parse('2024-03-31T01:30:00Z'));
  });
});
