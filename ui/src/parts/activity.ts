// The day of a source or workflow, hour by hour, kept up to date by what is heard of it.
import type { EmitterActivity } from '../api/types';

const HOUR_MS = 3_600_000;

export type Happened = { events: number; errors: number; invocations: number };

/** The activity with news of this instant in the running hour; `known` is when it was last right. */
export function grown(activity: EmitterActivity, news: Happened, at: number, known: number): EmitterActivity {
  const hours = Math.max(0, Math.floor(at / HOUR_MS) - Math.floor(known / HOUR_MS));
  return {
    last_event_at: news.events > 0 ? at : activity.last_event_at,
    events: moved(activity.events, hours, news.events),
    errors: moved(activity.errors, hours, news.errors),
    invocations: moved(activity.invocations, hours, news.invocations),
  };
}

function moved(values: number[], hours: number, more: number): number[] {
  const result = [...values, ...Array<number>(Math.min(hours, values.length)).fill(0)].slice(-values.length);
  const last = result.length - 1;
  if (last >= 0) result[last] = (result[last] ?? 0) + more;
  return result;
}

export function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
