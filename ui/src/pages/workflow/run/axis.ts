// Marks of a time axis at round values.

const MAX_MARKS = 5;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 4, 6, 12].map((hours) => hours * HOUR),
];

/** The distance between marks. */
export function stepOf(lengthMs: number): number {
  const day = 24 * HOUR;
  return STEPS.find((step) => lengthMs / step <= MAX_MARKS) ?? Math.ceil(lengthMs / MAX_MARKS / day) * day;
}

export function marksOf(lengthMs: number): { ms: number; text: string }[] {
  const step = stepOf(lengthMs);
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, index) => ({
    ms: index * step,
    text: timeText(index * step),
  }));
}

function timeText(ms: number): string {
  if (ms === 0) return '0';
  if (ms < SECOND) return `${ms} ms`;
  if (ms < MINUTE) return `${ms / SECOND} s`;
  return ms < HOUR ? `${ms / MINUTE} min` : `${(ms / HOUR).toLocaleString()} h`;
}
