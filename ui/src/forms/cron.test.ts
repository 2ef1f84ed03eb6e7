import { describe, expect, test } from 'vitest';
import { nextCron } from './cron';

/** The next runs as ISO times. */
function runs(expression: string, timezone: string, from: string, count = 1): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  let now = Date.parse(from);
  for (let index = 0; index < count; index += 1) {
    const next = nextCron(expression, timezone, now);
    found.push(next === undefined ? undefined : new Date(next).toISOString().replace(':00.000Z', 'Z'));
    if (next === undefined) break;
    now = next;
  }
  return found;
}
const next = (expression: string, from: string, timezone = 'UTC') => runs(expression, timezone, from)[0];

describe('fields', () => {
  test.each([
    ['* * * * *', '2024-05-01T10:00:00Z', '2024-05-01T10:01Z'],
    ['* * * * *', '2024-05-01T10:00:59.999Z', '2024-05-01T10:01Z'],
    ['0 * * * *', '2024-05-01T09:59:59.999Z', '2024-05-01T10:00Z'],
    ['*/15 * * * *', '2024-05-01T10:46:00Z', '2024-05-01T11:00Z'],
    ['10-20/5 * * * *', '2024-05-01T10:11:00Z', '2024-05-01T10:15Z'],
    ['5,50,20 8 * * *', '2024-05-01T08:06:00Z', '2024-05-01T08:20Z'],
    ['30 9 * * 1-5', '2024-05-03T10:00:00Z', '2024-05-06T09:30Z'],
    ['0 0 * jan,DEC *', '2024-05-01T00:00:00Z', '2024-12-01T00:00Z'],
    ['0 0 * * Mon-fri', '2024-05-04T00:00:00Z', '2024-05-06T00:00Z'],
    ['0 0 * * 7', '2024-05-01T00:00:00Z', '2024-05-05T00:00Z'],
    ['0 0 * * 0', '2024-05-01T00:00:00Z', '2024-05-05T00:00Z'],
    ['0 0 * * 5-7', '2024-05-04T00:00:00Z', '2024-05-05T00:00Z'],
    ['0 0 31 * *', '2024-05-31T00:00:00Z', '2024-07-31T00:00Z'],
    ['0 0 1 1 *', '2024-12-31T23:59:59Z', '2025-01-01T00:00Z'],
    ['  0\t12  * * *  ', '2024-05-01T00:00:00Z', '2024-05-01T12:00Z'],
  ])('%s after %s is %s', (expression, from, expected) => {
    expect(next(expression, from)).toBe(expected);
  });

  test('a day of the month or a day of the week is enough if both are restricted', () => {
    expect(runs('0 0 13 * 5', 'UTC', '2024-09-01T00:00:00Z', 4)).toEqual([
      '2024-09-06T00:00Z',
      '2024-09-13T00:00Z',
      '2024-09-20T00:00Z',
      '2024-09-27T00:00Z',
    ]);
    expect(next('0 0 13 * *', '2024-09-14T00:00:00Z')).toBe('2024-10-13T00:00Z');
  });

  test('29 February is found up to eight years ahead, and 30 February never', () => {
    expect(next('0 0 29 2 *', '2024-03-01T00:00:00Z')).toBe('2028-02-29T00:00Z');
    // 2100 is no leap year.
    expect(next('0 0 29 2 *', '2096-03-01T00:00:00Z')).toBe('2104-02-29T00:00Z');
    expect(next('0 0 30 2 *', '2024-01-01T00:00:00Z')).toBeUndefined();
  });

  test('instants before 1970 work', () => {
    expect(next('0 12 * * *', '1969-12-31T12:00:00Z')).toBe('1970-01-01T12:00Z');
  });

  test.each([
    '',
    '   ',
    '* * * *',
    '* * * * * *',
    '@daily',
    'every day at noon x',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 13 *',
    '* * * * 8',
    '-1 * * * *',
    '5-1 * * * *',
    '1-2-3 * * * *',
    '1, * * * *',
    '*/0 * * * *',
    '*/ * * * *',
    '*/-5 * * * *',
    '*/1e1 * * * *',
    '*/2/2 * * * *',
    '5/10 * * * *',
    '/10 * * * *',
    '1.5 * * * *',
    '0x1 * * * *',
    '* * * * fri-sun',
    '* * * * L',
    'mon * * * *',
    '٣ * * * *',
  ])('%j has no result', (expression) => {
    expect(next(expression, '2024-05-01T00:00:00Z')).toBeUndefined();
  });
});

describe('time zones', () => {
  test.each(['Mars/Base', '', 'Europe/', '<b>'])('the unknown zone %j has no result', (timezone) => {
    expect(nextCron('* * * * *', timezone, 0)).toBeUndefined();
  });

  test('the day is that of the zone', () => {
    expect(next('0 9 * * *', '2024-01-10T00:00:00Z', 'America/New_York')).toBe('2024-01-10T14:00Z');
    expect(next('0 9 * * *', '2024-07-10T00:00:00Z', 'America/New_York')).toBe('2024-07-10T13:00Z');
    expect(next('0 0 1 * *', '2024-01-31T20:00:00Z', 'Asia/Tokyo')).toBe('2024-02-29T15:00Z');
    expect(next('0 0 * * 1', '2024-05-05T12:00:00Z', 'Pacific/Kiritimati')).toBe('2024-05-12T10:00Z');
    expect(next('30 6 * * *', '2024-05-05T00:00:00Z', 'Asia/Kathmandu')).toBe('2024-05-05T00:45Z');
  });

  test('a single time keeps its wall-clock time across the change to summer time', () => {
    expect(runs('0 9 * * *', 'Europe/Berlin', '2024-03-29T23:00:00Z', 3)).toEqual([
      '2024-03-30T08:00Z',
      '2024-03-31T07:00Z',
      '2024-04-01T07:00Z',
    ]);
  });

  test('a single time in the gap runs right after it', () => {
    expect(runs('30 2 * * *', 'Europe/Berlin', '2024-03-30T00:00:00Z', 3)).toEqual([
      '2024-03-30T01:30Z',
      '2024-03-31T01:00Z',
      '2024-04-01T00:30Z',
    ]);
    expect(runs('15 2 * * *', 'America/New_York', '2024-03-10T00:00:00Z', 2)).toEqual([
      '2024-03-10T07:00Z',
      '2024-03-11T06:15Z',
    ]);
  });

  test('several times skip those in the gap', () => {
    expect(runs('0,30 2,3 * * *', 'Europe/Berlin', '2024-03-30T23:30:00Z', 3)).toEqual([
      '2024-03-31T01:00Z',
      '2024-03-31T01:30Z',
      '2024-04-01T00:00Z',
    ]);
    expect(runs('*/30 * * * *', 'America/New_York', '2024-03-10T06:15:00Z', 3)).toEqual([
      '2024-03-10T06:30Z',
      '2024-03-10T07:00Z',
      '2024-03-10T07:30Z',
    ]);
  });

  test.each([
    ['Europe/Berlin', '30 2 * * *', '2024-10-26T12:00:00Z', ['2024-10-27T00:30Z', '2024-10-28T01:30Z']],
    ['America/New_York', '30 1 * * *', '2024-11-03T00:00:00Z', ['2024-11-03T05:30Z', '2024-11-04T06:30Z']],
  ])('a single repeated time in %s runs once', (timezone, expression, from, expected) => {
    expect(runs(expression, timezone, from, 2)).toEqual(expected);
  });

  test.each([
    [
      'Europe/Berlin',
      '2024-10-27T00:15:00Z',
      ['2024-10-27T00:30Z', '2024-10-27T01:00Z', '2024-10-27T01:30Z', '2024-10-27T02:00Z'],
    ],
    [
      'America/New_York',
      '2024-11-03T05:15:00Z',
      ['2024-11-03T05:30Z', '2024-11-03T06:00Z', '2024-11-03T06:30Z', '2024-11-03T07:00Z'],
    ],
    [
      'Australia/Lord_Howe',
      '2024-04-06T14:45:00Z',
      ['2024-04-06T15:00Z', '2024-04-06T15:30Z', '2024-04-06T16:00Z', '2024-04-06T16:30Z'],
    ],
  ])('repeated times in %s run twice', (timezone, from, expected) => {
    expect(runs('*/30 * * * *', timezone, from, 4)).toEqual(expected);
  });

  test('midnight that does not exist runs right after the gap', () => {
    expect(runs('0 0 * * *', 'Africa/Cairo', '2024-04-25T00:00:00Z', 2)).toEqual([
      '2024-04-25T22:00Z',
      '2024-04-26T21:00Z',
    ]);
  });
});
