// The next run of a cron expression with five fields. Expressions that only the server supports have no result here.

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** 29 February is at most eight years ahead. */
const MAX_DAYS_AHEAD = 366 * 8;

/** The next run after `nowMs` in that time zone; undefined if there is none or the expression is not supported. */
export function nextCron(expression: string, timezone: string, nowMs: number): number | undefined {
  const [minutes, hours, days, months, weekdays, ...rest] = expression.trim().split(/\s+/);
  if (!minutes || !hours || !days || !months || !weekdays || rest.length > 0) return undefined;
  const minute = numbers(minutes, 0, 59);
  const hour = numbers(hours, 0, 23);
  const day = numbers(days, 1, 31);
  const month = numbers(months, 1, 12, MONTHS);
  const weekday = numbers(weekdays, 0, 7, DAYS);
  const offset = offsetOf(timezone);
  if (!minute || !hour || !day || !month || !weekday || !offset) return undefined;
  const isDay = (date: Date) => {
    if (!month.has(date.getUTCMonth() + 1)) return false;
    const inMonth = day.has(date.getUTCDate());
    const inWeek = weekday.has(date.getUTCDay()) || (date.getUTCDay() === 0 && weekday.has(7));
    // As in cron, either field may match if both are restricted.
    if (days === '*' || weekdays === '*') return inMonth && inWeek;
    return inMonth || inWeek;
  };
  const times = [...hour].flatMap((h) => [...minute].map((m) => h * HOUR_MS + m * MINUTE_MS)).sort((a, b) => a - b);
  const fixed = isSingle(minutes, minute) && isSingle(hours, hour);
  // The calculation uses local wall-clock time, represented as if it were UTC.
  const wall = nowMs + offset(nowMs);
  const midnight = wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS);
  for (let ahead = 0; ahead <= MAX_DAYS_AHEAD; ahead += 1) {
    const start = midnight + ahead * DAY_MS;
    if (!isDay(new Date(start))) continue;
    const next = firstAfter(nowMs, start, times, fixed, offset);
    if (next !== undefined) return next;
  }
  return undefined;
}

/** Whether a field names one number. */
function isSingle(field: string, values: Set<number>): boolean {
  return values.size === 1 && !/[*/]/.test(field);
}

type Offset = (ms: number) => number;

/** The first instant after `nowMs` at one of the times of a day. */
function firstAfter(nowMs: number, start: number, times: number[], fixed: boolean, offset: Offset): number | undefined {
  const [before, after] = [offset(start - DAY_MS), offset(start + 2 * DAY_MS)];
  if (before === after) {
    const time = times.find((time) => start + time - before > nowMs);
    return time === undefined ? undefined : start + time - before;
  }
  // The clock may change on this day, so the order of the times is not that of the instants.
  const instants = times.flatMap((time) => instantsOf(start + time, fixed, [before, after], offset));
  return instants.filter((at) => at > nowMs).sort((a, b) => a - b)[0];
}

/**
 * The instants of a wall-clock time when the clock changes, by the rules of the server. A skipped time of day runs right
 * after the gap if it is the only one, else not at all. A repeated one runs once if it is the only one, else twice.
 */
function instantsOf(wall: number, fixed: boolean, offsets: [number, number], offset: Offset): number[] {
  const at = (wall: number) => offsets.map((known) => wall - known).filter((ms) => ms + offset(ms) === wall);
  const found = at(wall).sort((a, b) => a - b);
  if (!fixed) return found;
  for (let later = wall; found.length === 0 && later < wall + DAY_MS; later += MINUTE_MS) found.push(...at(later));
  return found.slice(0, 1);
}

/** The set of numbers that a field matches. */
function numbers(field: string, min: number, max: number, names: string[] = []): Set<number> | undefined {
  const named = names.length === 12 ? 1 : 0;
  const number = (text: string) => {
    const index = names.indexOf(text.toLowerCase());
    if (index >= 0) return index + named;
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : Number.NaN;
  };
  const all = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step = '1', ...more] = part.split('/');
    const every = /^\d+$/.test(step) ? Number(step) : 0;
    if (more.length > 0 || every < 1) return undefined;
    const [first = '', last, ...others] = range.split('-');
    // The server rejects steps of a single number.
    if (range !== '*' && last === undefined && part.includes('/')) return undefined;
    const from = range === '*' ? min : number(first);
    const to = range === '*' ? max : number(last ?? first);
    if (others.length > 0 || Number.isNaN(from) || Number.isNaN(to) || to < from) return undefined;
    for (let value = from; value <= to; value += every) all.add(value);
  }
  return all;
}

/** The UTC offset of a time zone at an instant; undefined for an unknown time zone. */
function offsetOf(timezone: string): Offset | undefined {
  let clock: Intl.DateTimeFormat;
  try {
    clock = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
  return (ms) => {
    const parts = Object.fromEntries(clock.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000;
  };
}
