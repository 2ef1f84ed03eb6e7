// The states of runs, steps and sends.

/** In the order of the filter. */
export const RUN_STATES = ['failed', 'waiting', 'running', 'queued', 'succeeded', 'cancelled'] as const;
export type RunState = (typeof RUN_STATES)[number];
type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info';

const TONES: Record<string, Tone> = {
  running: 'info',
  waiting: 'warn',
  succeeded: 'good',
  completed: 'good',
  tested: 'good',
  sent: 'good',
  failed: 'bad',
  repeated: 'warn',
  pending: 'info',
};

export function tone(state: string): Tone {
  return TONES[state] ?? 'neutral';
}

export function isRunState(text: string): text is RunState {
  return (RUN_STATES as readonly string[]).includes(text);
}

export function isOver(state: string): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'cancelled';
}
