// A run as rows on a common axis of time: what triggered it, each time that a step ran, what it waited, and what is to come.
import type { Run, RunStep } from '../../../api/types';
import { isOver } from './states';

export type Span = { from: number; to: number };
export type Row = {
  /** What the address says for it. */
  key: string;
  name: string;
  kind: 'trigger' | 'ran' | 'kept' | 'running' | 'ahead';
  state: string;
  step: RunStep | undefined;
  /** When it ran, in milliseconds from the start of the axis; a row that has no bar has none. */
  span: Span | undefined;
  /** What passed between it and the next. */
  wait: Wait | undefined;
};
/** `words` say what was waited for, where that is known. */
export type Wait = Span & { words: string };
export type Timeline = { rows: Row[]; lengthMs: number; over: boolean };

/** Shorter pauses are the server's own work between steps. */
const WAIT_MS = 250;

const WAITS: Record<string, string> = {
  delay: 'delay',
  suspend: 'suspended',
  rerun: 'to run again',
  retry: 'to retry',
};

/** `names` are the steps of the version that the run takes, in order. */
export function timeline(run: Run, names: string[], nowMs: number): Timeline {
  const start = run.accepted_at_ms;
  const last = run.steps.at(-1);
  const end = run.finished_at_ms ?? (isOver(run.state) ? (last ? endOf(last) : start) : nowMs);
  const lengthMs = Math.max(1, end - start);
  const rows = [triggerRow(run, lengthMs), ...run.steps.map((step, index) => stepRow(run, step, index, lengthMs))];
  return { rows: [...rows, ...comingRows(run, names, lengthMs)], lengthMs, over: isOver(run.state) };
}

/** A step that an earlier run had taken already stands in its replay with the time it ran then. */
function isKept(run: Run, step: RunStep): boolean {
  return run.replay_of != null && step.started_at_ms < run.accepted_at_ms;
}

function endOf(step: RunStep): number {
  return step.started_at_ms + step.duration_ms;
}

function triggerRow(run: Run, lengthMs: number): Row {
  const first = run.steps.find((step) => !isKept(run, step))?.started_at_ms;
  const started = first ?? run.started_at_ms ?? run.accepted_at_ms + lengthMs;
  const wait = { from: 0, to: clamp(started - run.accepted_at_ms, lengthMs), words: 'to the first step' };
  return { key: 'trigger', name: 'trigger', kind: 'trigger', state: '', step: undefined, span: undefined, wait };
}

function stepRow(run: Run, step: RunStep, index: number, lengthMs: number): Row {
  const shared = { key: String(index), name: step.name, state: step.state, step };
  if (isKept(run, step)) return { ...shared, kind: 'kept', span: undefined, wait: undefined };
  const from = clamp(step.started_at_ms - run.accepted_at_ms, lengthMs);
  const to = clamp(endOf(step) - run.accepted_at_ms, lengthMs);
  return { ...shared, kind: 'ran', span: { from, to }, wait: waitAfter(run, step, index, to, lengthMs) };
}

function waitAfter(run: Run, step: RunStep, index: number, from: number, lengthMs: number): Wait | undefined {
  const next = run.steps[index + 1];
  const underWay = !next && run.state === 'waiting';
  const cancelled = !next && run.state === 'cancelled';
  if (!next && !underWay && !cancelled) return undefined;
  const to = next ? clamp(next.started_at_ms - run.accepted_at_ms, lengthMs) : lengthMs;
  const words = WAITS[step.waited_for ?? ''];
  return to - from >= WAIT_MS || underWay ? { from, to, words: words ?? 'wait' } : undefined;
}

/** The step that is under way is not on record yet: it is the one that comes next. */
function comingRows(run: Run, names: string[], lengthMs: number): Row[] {
  const last = run.steps.at(-1);
  const again = last !== undefined && last.state !== 'completed' && !isOver(run.state);
  const next = last ? last.position + (again ? 0 : 1) : 0;
  return names.slice(next).map((name, index) => {
    const shared = { key: `ahead-${index}`, name, step: undefined, wait: undefined };
    if (index > 0 || run.state !== 'running') return { ...shared, kind: 'ahead', state: '', span: undefined };
    const begun = last && !isKept(run, last) ? endOf(last) : (run.started_at_ms ?? run.accepted_at_ms);
    const from = clamp(begun - run.accepted_at_ms, lengthMs);
    return { ...shared, kind: 'running', state: 'running', span: { from, to: lengthMs } };
  });
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}

/** What is worth a look first: what failed, else the last that ran, else what triggered it. */
export function firstChoice(rows: Row[]): string {
  const ran = rows.filter(({ kind }) => kind === 'ran' || kind === 'kept');
  return (ran.findLast(({ state }) => state === 'failed') ?? ran.at(-1))?.key ?? 'trigger';
}
