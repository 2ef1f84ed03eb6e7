// Time formatting in the local time zone.

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'narrow' });
const exact = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  timeZoneName: 'short',
});
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** "3 min. ago", "in 2 hr.", "now". */
export function relativeTime(ms: number, nowMs: number): string {
  const difference = ms - nowMs;
  for (const [unit, size] of UNITS) {
    if (Math.abs(difference) >= size) return relative.format(Math.trunc(difference / size), unit);
  }
  if (Math.abs(difference) < 1_000) return 'now';
  return relative.format(Math.trunc(difference / 1_000), 'second');
}

/** To the millisecond, with the zone. */
export function exactTime(ms: number): string {
  return exact.format(new Date(ms));
}

export function clockTime(ms: number): string {
  return clock.format(new Date(ms));
}

/** The day of an instant: a key for grouping, and its name. */
export function dayOf(ms: number, nowMs: number): { key: string; name: string } {
  const date = new Date(ms);
  const key = date.toDateString();
  if (key === new Date(nowMs).toDateString()) return { key, name: 'Today' };
  const yesterday = new Date(nowMs);
  // Not a fixed time: a day has 23 or 25 hours when the clock changes.
  yesterday.setDate(yesterday.getDate() - 1);
  if (key === yesterday.toDateString()) return { key, name: 'Yesterday' };
  return { key, name: day.format(date) };
}

/** "84 ms", "1.2 s", "3 min 4 s". Rounds down, so there is no "60 s". */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.floor(ms)} ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < 60_000) return `${Math.floor(ms / 1_000)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}
