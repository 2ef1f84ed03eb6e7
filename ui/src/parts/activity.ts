// The hourly activity of a source or workflow, updated by the traffic stream.
import type { EmitterActivity } from '../api/types';

const HOUR_MS = 3_600_000;

export type ActivityCounts = { events: number; errors: number; invocations: number };

/** Adds counts to the current hour. `updatedAt` is the time of the last full update. */
export function addCounts(
  activity: EmitterActivity,
  counts: ActivityCounts,
  at: number,
  updatedAt: number,
): EmitterActivity {
  const hours = Math.max(0, Math.floor(at / HOUR_MS) - Math.floor(updatedAt / HOUR_MS));
  return {
    last_event_at: counts.events > 0 ? at : activity.last_event_at,
    events: shifted(activity.events, hours, counts.events),
    errors: shifted(activity.errors, hours, counts.errors),
    invocations: shifted(activity.invocations, hours, counts.invocations),
  };
}

/** Appends empty hours and adds to the last one. */
function shifted(values: number[], hours: number, added: number): number[] {
  const result = [...values, ...Array<number>(Math.min(hours, values.length)).fill(0)].slice(-values.length);
  const last = result.length - 1;
  if (last >= 0) result[last] = (result[last] ?? 0) + added;
  return result;
}

export function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
