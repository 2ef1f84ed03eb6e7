// Timer schedules: parsing and formatting.
import { isRecord } from './prop';

export type Schedule = { kind: 'interval'; seconds: number } | { kind: 'cron'; cron: string; timezone: string };
export type Unit = { name: string; seconds: number };

export const UNITS: Unit[] = [
  { name: 'seconds', seconds: 1 },
  { name: 'minutes', seconds: 60 },
  { name: 'hours', seconds: 3_600 },
  { name: 'days', seconds: 86_400 },
];
/** The default schedule. */
const HOURLY: Schedule = { kind: 'interval', seconds: 3_600 };

/** Reads the form of component code (`intervalSeconds`) and the stored form (`interval_seconds`). */
export function scheduleOf(value: unknown): Schedule {
  if (!isRecord(value)) return HOURLY;
  if (typeof value.cron === 'string') {
    return { kind: 'cron', cron: value.cron, timezone: typeof value.timezone === 'string' ? value.timezone : 'UTC' };
  }
  const seconds = value.intervalSeconds ?? value.interval_seconds;
  return typeof seconds === 'number' ? { kind: 'interval', seconds } : HOURLY;
}

export function scheduleValue(schedule: Schedule): unknown {
  if (schedule.kind === 'interval') return { intervalSeconds: schedule.seconds };
  const { cron, timezone } = schedule;
  return timezone === 'UTC' || timezone === '' ? { cron } : { cron, timezone };
}

/** The largest unit that divides an interval. */
export function unitOf(seconds: number): Unit {
  const fitting = UNITS.filter((unit) => seconds >= unit.seconds && seconds % unit.seconds === 0);
  return fitting.at(-1) ?? (UNITS[0] as Unit);
}

/** "Every 15 minutes", "0 9 * * 1-5 in Europe/Berlin". */
export function scheduleText(schedule: Schedule): string {
  if (schedule.kind === 'cron') return `${schedule.cron} in ${schedule.timezone}`;
  const unit = unitOf(schedule.seconds);
  const amount = schedule.seconds / unit.seconds;
  return amount === 1 ? `Every ${unit.name.slice(0, -1)}` : `Every ${amount.toLocaleString()} ${unit.name}`;
}

/** The time zones of the browser, the local one first. */
export function zones(): string[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [...new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}
