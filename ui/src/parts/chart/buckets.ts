// The time buckets of a chart.
import type { Activity } from '../../api/types';

export type Bucket = { start: number; end: number; events: number; errors: number };

const hourAndDay = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});
const hour = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const longDay = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** One bucket per step of the response. */
export function bucketsOf({ start_ms, step_ms, events, errors }: Activity): Bucket[] {
  return events.map((count, index) => {
    const start = start_ms + index * step_ms;
    return { start, end: start + step_ms, events: count, errors: errors[index] ?? 0 };
  });
}

/** Groups hours by day in the local time zone, which the server does not know. An incomplete first day is dropped. */
export function byDay(hours: Bucket[]): Bucket[] {
  const days: Bucket[] = [];
  for (const hour of hours) {
    const last = days.at(-1);
    if (last && sameDay(last.start, hour.start)) {
      last.end = hour.end;
      last.events += hour.events;
      last.errors += hour.errors;
    } else {
      days.push({ ...hour });
    }
  }
  const first = days[0];
  return first && new Date(first.start).getHours() !== 0 && days.length > 1 ? days.slice(1) : days;
}

/** Adds the latest counts to the last bucket. */
export function withLatest(buckets: Bucket[], latest: { events: number; errors: number }): Bucket[] {
  const last = buckets.at(-1);
  if (!last) return buckets;
  return [
    ...buckets.slice(0, -1),
    { ...last, events: last.events + latest.events, errors: last.errors + latest.errors },
  ];
}

export function totals(buckets: Bucket[]): { events: number; errors: number } {
  return buckets.reduce((sum, { events, errors }) => ({ events: sum.events + events, errors: sum.errors + errors }), {
    events: 0,
    errors: 0,
  });
}

export function bucketName({ start, end }: Bucket): string {
  return end - start > 2 * 3_600_000 ? longDay.format(start) : `${hourAndDay.format(start)} – ${hour.format(end)}`;
}

/** The axis labels, at most `max`: hours at the start of their bucket, days in the middle. */
export function ticks(buckets: Bucket[], max: number): { at: number; name: string }[] {
  const [first] = buckets;
  if (!first) return [];
  const daily = first.end - first.start > 2 * 3_600_000;
  const oneDay = buckets.length <= 25;
  const candidates = buckets
    .map(({ start }, index) => ({ index, start, hour: new Date(start).getHours() }))
    .filter((candidate) => daily || oneDay || candidate.hour === 0);
  const every = [1, 2, 3, 4, 6, 8, 12, 24].find((step) => candidates.length / step <= max) ?? 24;
  return candidates
    .filter((candidate, position) => (daily || !oneDay ? position % every === 0 : candidate.hour % every === 0))
    .map(({ index, start }) => ({
      at: daily ? index + 0.5 : index,
      name: daily || !oneDay ? shortDay.format(start) : hour.format(start),
    }));
}

function sameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}
