import { describe, expect, test } from 'vitest';
import { type Bucket, bucketName, bucketsOf, byDay, ticks, totals, withLatest } from './buckets';
import { bucketAt, fittingTicks, seriesOf, timeRange, valueRange, WHOLE_NUMBERS } from './scale';

const HOUR = 3_600_000;
/** Hours from an instant, each with one event. */
const hours = (from: string, count: number): Bucket[] =>
  Array.from({ length: count }, (_, index) => {
    const start = Date.parse(from) + index * HOUR;
    return { start, end: start + HOUR, events: 1, errors: 0 };
  });
const plain = (text: string) => text.replaceAll('\u202f', ' ');

test('a response becomes buckets', () => {
  const response = { start_ms: 1_000, step_ms: 10, events: [1, 2], errors: [3] };
  expect(bucketsOf(response as Parameters<typeof bucketsOf>[0])).toEqual([
    { start: 1_000, end: 1_010, events: 1, errors: 3 },
    { start: 1_010, end: 1_020, events: 2, errors: 0 },
  ]);
  expect(bucketsOf({ ...response, events: [], errors: [] } as unknown as Parameters<typeof bucketsOf>[0])).toEqual([]);
});

describe('byDay', () => {
  test('days are local, with 23 and 25 hours when the clock changes', () => {
    expect(byDay(hours('2024-03-29T23:00:00Z', 23 + 24 + 1)).map(({ events }) => events)).toEqual([24, 23, 1]);
    expect(byDay(hours('2024-10-25T22:00:00Z', 24 + 25 + 2)).map(({ events }) => events)).toEqual([24, 25, 2]);
  });

  test('an incomplete first day is dropped unless it is the only one', () => {
    const days = byDay(hours('2024-05-14T12:00:00Z', 30));
    expect(days.map(({ start }) => new Date(start).toISOString())).toEqual(['2024-05-14T22:00:00.000Z']);
    expect(byDay(hours('2024-05-14T12:00:00Z', 3))).toHaveLength(1);
    expect(byDay([])).toEqual([]);
  });

  test('the hours are not changed', () => {
    const given = hours('2024-05-13T22:00:00Z', 5);
    byDay(given);
    expect(given.map(({ events }) => events)).toEqual([1, 1, 1, 1, 1]);
  });
});

test('the latest counts are added to the last bucket', () => {
  const given = hours('2024-05-14T12:00:00Z', 2);
  expect(withLatest(given, { events: 2, errors: 3 }).at(-1)).toMatchObject({ events: 3, errors: 3 });
  expect(given.at(-1)).toMatchObject({ events: 1, errors: 0 });
  expect(withLatest([], { events: 1, errors: 1 })).toEqual([]);
  expect(totals(withLatest(given, { events: 2, errors: 3 }))).toEqual({ events: 4, errors: 3 });
  expect(totals([])).toEqual({ events: 0, errors: 0 });
});

test('buckets have names', () => {
  const [hour] = hours('2024-05-14T12:00:00Z', 1) as [Bucket];
  expect(plain(bucketName(hour))).toBe('Tue, May 14, 2:00 PM – 3:00 PM');
  expect(bucketName({ ...hour, end: hour.start + 24 * HOUR })).toBe('Tuesday, May 14');
});

describe('ticks', () => {
  test('a day has hours at round times', () => {
    const labels = ticks(hours('2024-05-14T12:00:00Z', 24), 8).map(({ at, name }) => [at, plain(name)]);
    expect(labels).toEqual([
      [1, '3:00 PM'],
      [4, '6:00 PM'],
      [7, '9:00 PM'],
      [10, '12:00 AM'],
      [13, '3:00 AM'],
      [16, '6:00 AM'],
      [19, '9:00 AM'],
      [22, '12:00 PM'],
    ]);
  });

  test('a week of hours has days', () => {
    const labels = ticks(hours('2024-05-12T22:00:00Z', 7 * 24), 10);
    expect(labels).toHaveLength(7);
    expect(labels[0]).toEqual({ at: 0, name: 'May 13' });
    expect(labels[1]).toEqual({ at: 24, name: 'May 14' });
  });

  test('days have labels in the middle, and never more than fit', () => {
    const days = byDay(hours('2024-04-30T22:00:00Z', 31 * 24));
    for (const max of [2, 5, 10, 31]) expect(ticks(days, max).length).toBeLessThanOrEqual(max);
    expect(ticks(days, 31)[0]).toEqual({ at: 0.5, name: 'May 1' });
    expect(ticks([], 5)).toEqual([]);
  });
});

describe('scale', () => {
  test('errors are stacked on events', () => {
    const buckets = [
      { start: 0, end: 1, events: 3, errors: 0 },
      { start: 1, end: 2, events: 0, errors: 2 },
      { start: 2, end: 3, events: 5, errors: 1 },
    ];
    expect(seriesOf(buckets)).toEqual([
      [0.5, 1.5, 2.5],
      [null, 2, 6],
      [3, 0, 5],
    ]);
    expect(seriesOf([])).toEqual([[], [], []]);
  });

  test('the ranges of both axes are never empty', () => {
    expect(timeRange([])).toEqual([0, 1]);
    expect(timeRange(hours('2024-05-14T12:00:00Z', 24))).toEqual([0, 24]);
    expect(valueRange(0)).toEqual([0, 4]);
    expect(valueRange(100)).toEqual([0, 108]);
    expect(valueRange(1e15)[1]).toBeGreaterThan(1e15);
  });

  test('lines of the value axis are at whole numbers', () => {
    expect(WHOLE_NUMBERS.slice(0, 7)).toEqual([1, 2, 5, 10, 20, 50, 100]);
    expect(WHOLE_NUMBERS.at(-1)).toBe(5e14);
  });

  test('a position outside belongs to the nearest bucket', () => {
    const buckets = hours('2024-05-14T12:00:00Z', 3);
    expect([-5, 0, 0.99, 1, 2.9, 3, 99].map((x) => bucketAt(buckets, x))).toEqual([0, 0, 0, 1, 2, 2, 2]);
    expect(bucketAt([], 5)).toBe(0);
  });

  test('a label that would be clipped is left out', () => {
    const buckets = hours('2024-05-14T12:00:00Z', 24);
    expect(fittingTicks(buckets, 1_000).map(({ at }) => at)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]);
    for (const width of [1, 100, 300, 1_000]) {
      for (const { at } of fittingTicks(buckets, width)) expect(((24 - at) * width) / 24).toBeGreaterThan(34);
    }
    expect(fittingTicks([], 500)).toEqual([]);
  });
});
