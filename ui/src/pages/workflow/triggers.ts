// Triggers of a workflow as text.
import type { WorkflowTrigger } from '../../api/types';
import { patternName } from '../../parts/emitters';
import { intervalText } from '../../parts/triggers';

export type TriggerKind = 'http' | 'schedule' | 'events' | 'manual';

export function scheduleText(trigger: Extract<WorkflowTrigger, { type: 'schedule' }>): string {
  if (trigger.interval_seconds) return intervalText(trigger.interval_seconds);
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
