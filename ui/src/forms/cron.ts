// The next run of a cron expression with five fields. Expressions that only the server supports have no result here.

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
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
  // The calculation uses local wall-clock time, represented as if it were UTC.
  const wall = nowMs + offset(nowMs);
  const midnight = wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS);
  for (let ahead = 0; ahead <= MAX_DAYS_AHEAD; ahead += 1) {
    const start = midnight + ahead * DAY_MS;
    if (!isDay(new Date(start))) continue;
    for (const h of sorted(hour)) {
      for (const m of sorted(minute)) {
        const local = start + h * 3_600_000 + m * 60_000;
        const at = local - offset(local - offset(local));
        if (at > nowMs) return at;
      }
    }
  }
  return undefined;
}

const sorted = (values: Set<number>) => [...values].sort((a, b) => a - b);

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
    const every = Number(step);
    if (more.length > 0 || !Number.isInteger(every) || every < 1) return undefined;
    const [first = '', last, ...others] = range.split('-');
    const from = range === '*' ? min : number(first);
    const open = range === '*' || (last === undefined && part.includes('/'));
    const to = open ? max : number(last ?? first);
    if (others.length > 0 || Number.isNaN(from) || Number.isNaN(to) || to < from) return undefined;
    for (let value = from; value <= to; value += every) all.add(value);
  }
  return all;
}

/** The UTC offset of a time zone at an instant; undefined for an unknown time zone. */
function offsetOf(timezone: string): ((ms: number) => number) | undefined {
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
