// Triggers of a workflow as text.
import type { WorkflowTrigger } from '../../api/types';
import { patternName } from '../../parts/emitters';

export type TriggerKind = 'http' | 'schedule' | 'events' | 'manual';

export function scheduleText(trigger: Extract<WorkflowTrigger, { type: 'schedule' }>): string {
  if (trigger.interval_seconds) return `every ${interval(trigger.interval_seconds)}`;
  const zone = trigger.timezone && trigger.timezone !== 'UTC' ? ` ${trigger.timezone}` : '';
  return `${trigger.cron ?? ''}${zone}`;
}

/** The sources that trigger a workflow with their own events, each once. */
export function triggerSources(triggers: WorkflowTrigger[]): string[] {
  const events = triggers.filter((trigger) => trigger.type === 'events');
  const own = events.filter(({ emitter_id, event_name }) => isSource(emitter_id) && !event_name.startsWith('$'));
  return [...new Set(own.map(({ emitter_id }) => emitter_id))];
}

const isSource = (emitter: string) => emitter.startsWith('dc_') && patternName(emitter) === undefined;

const UNITS: [number, string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

/** In the largest unit that divides it. */
function interval(seconds: number): string {
  const [size, unit] = UNITS.find(([size]) => seconds % size === 0) ?? [1, 's'];
  return `${(seconds / size).toLocaleString()} ${unit}`;
}

export function channelText(channel: string): string {
  return channel === '' || channel === 'default' ? '' : ` · ${channel}`;
}

const SOURCE_KINDS: Record<string, TriggerKind> = {
  http: 'http',
  timer: 'schedule',
  event: 'events',
  manual: 'manual',
};

/** The trigger kind of a run. */
export function kindOfRun(sourceType: string): TriggerKind {
  return SOURCE_KINDS[sourceType] ?? 'manual';
}
