// The data, ranges and labels of a chart. Bucket n spans from n to n + 1, with its bar in the middle.
import { type Bucket, ticks } from './buckets';

const TICK_WIDTH = 68;

/** Distances between the lines of the value axis. */
export const WHOLE_NUMBERS = [1, 2, 5]
  .flatMap((digit) => Array.from({ length: 15 }, (_, power) => digit * 10 ** power))
  .sort((a, b) => a - b);

/** Positions, errors and events. Errors are stacked on events: the bars of both together are drawn behind those of the events. */
export function seriesOf(buckets: Bucket[]): [number[], (number | null)[], number[]] {
  return [
    buckets.map((_, index) => index + 0.5),
    buckets.map(({ events, errors }) => (errors > 0 ? events + errors : null)),
    buckets.map(({ events }) => events),
  ];
}

/** The range of the time axis. */
export function timeRange(buckets: Bucket[]): [number, number] {
  return [0, Math.max(1, buckets.length)];
}

/** The range of the value axis, with space above the highest bar. */
export function valueRange(max: number): [number, number] {
  return [0, Math.max(4, max * 1.08)];
}

/** The index of the bucket at a position of the time axis. */
export function bucketAt(buckets: Bucket[], x: number): number {
  return Math.max(0, Math.min(buckets.length - 1, Math.floor(x)));
}

/** The labels that fit a width. A label at the edge would be clipped. */
export function fittingTicks(buckets: Bucket[], width: number): { at: number; name: string }[] {
  const each = width / buckets.length;
  const labels = ticks(buckets, Math.max(2, width / TICK_WIDTH));
  return labels.filter(({ at }) => (buckets.length - at) * each > TICK_WIDTH / 2);
}
