// A run as rows on a time axis: the trigger, each attempt of a step, waits and upcoming steps.
import type { Run, RunStep } from '../../../api/types';
import { duration } from '../../../parts/time';
import { isOver } from './states';

export type Span = { from: number; to: number };
export type Row = {
  /** The value of the URL parameter. */
  key: string;
  name: string;
  kind: 'trigger' | 'ran' | 'reused' | 'running' | 'upcoming';
  state: string;
  step: RunStep | undefined;
  /** The time of the attempt in milliseconds from the start of the axis; undefined for rows without a bar. */
  span: Span | undefined;
  /** The wait before the next row. */
  wait: Wait | undefined;
};
/** `text` describes the wait. */
export type Wait = Span & { text: string };
export type Timeline = { rows: Row[]; lengthMs: number; over: boolean };

/** Shorter pauses are overhead between steps. */
const MIN_WAIT_MS = 250;

const WAITS: Record<string, string> = {
  delay: 'delay',
  suspend: 'suspended',
  rerun: 'until rerun',
  retry: 'until retry',
};

/** The time from the acceptance of a run to its end, which the head of its page and the timeline show. */
export function lengthOf(
  run: Pick<Run, 'accepted_at_ms' | 'finished_at_ms' | 'state' | 'steps'>,
  nowMs: number,
): number {
  const start = run.accepted_at_ms;
  const last = run.steps.at(-1);
  const end = run.finished_at_ms ?? (isOver(run.state) ? (last ? endOf(last) : start) : nowMs);
  return Math.max(0, end - start);
}

/** `names` are the steps of the run's version, in order. */
export function timeline(run: Run, names: string[], nowMs: number): Timeline {
  const lengthMs = Math.max(1, lengthOf(run, nowMs));
  const rows = [triggerRow(run, lengthMs), ...run.steps.map((step, index) => stepRow(run, step, index, lengthMs))];
  return { rows: [...rows, ...upcomingRows(run, names, lengthMs)], lengthMs, over: isOver(run.state) };
}

/** A replay lists the steps that it reuses with their original times. */
function isReused(run: Run, step: RunStep): boolean {
  return run.replay_of != null && step.started_at_ms < run.accepted_at_ms;
}

function endOf(step: RunStep): number {
  return step.started_at_ms + step.duration_ms;
}

function triggerRow(run: Run, lengthMs: number): Row {
  const first = run.steps.find((step) => !isReused(run, step))?.started_at_ms;
  const started = first ?? run.started_at_ms ?? run.accepted_at_ms + lengthMs;
  const wait = { from: 0, to: clamp(started - run.accepted_at_ms, lengthMs), text: 'until first step' };
  return { key: 'trigger', name: 'trigger', kind: 'trigger', state: '', step: undefined, span: undefined, wait };
}

function stepRow(run: Run, step: RunStep, index: number, lengthMs: number): Row {
  const shared = { key: String(index), name: step.name, state: step.state, step };
  if (isReused(run, step)) return { ...shared, kind: 'reused', span: undefined, wait: undefined };
  const from = clamp(step.started_at_ms - run.accepted_at_ms, lengthMs);
  const to = clamp(endOf(step) - run.accepted_at_ms, lengthMs);
  return { ...shared, kind: 'ran', span: { from, to }, wait: waitAfter(run, step, index, to, lengthMs) };
}

function waitAfter(run: Run, step: RunStep, index: number, from: number, lengthMs: number): Wait | undefined {
  const next = run.steps[index + 1];
  const waiting = !next && run.state === 'waiting';
  const cancelled = !next && run.state === 'cancelled';
  if (!next && !waiting && !cancelled) return undefined;
  const to = next ? clamp(next.started_at_ms - run.accepted_at_ms, lengthMs) : lengthMs;
  const text = WAITS[step.waited_for ?? ''] ?? 'wait';
  return to - from >= MIN_WAIT_MS || waiting ? { from, to, text } : undefined;
}

/** The rows after the recorded steps. The running step is not recorded yet, so it is the first of them. */
function upcomingRows(run: Run, names: string[], lengthMs: number): Row[] {
  const last = run.steps.at(-1);
  const again = last !== undefined && last.state !== 'completed' && !isOver(run.state);
  const next = last ? last.position + (again ? 0 : 1) : 0;
  return names.slice(next).map((name, index) => {
    const shared = { key: `upcoming-${index}`, name, step: undefined, wait: undefined };
    if (index > 0 || run.state !== 'running') return { ...shared, kind: 'upcoming', state: '', span: undefined };
    const started = last && !isReused(run, last) ? endOf(last) : (run.started_at_ms ?? run.accepted_at_ms);
    const from = clamp(started - run.accepted_at_ms, lengthMs);
    return { ...shared, kind: 'running', state: 'running', span: { from, to: lengthMs } };
  });
}

function clamp(value: number, max: number): number {
  return Math.min(Math.max(value, 0), max);
}

/** The row that is selected by default: the last failed one, else the last attempt, else the trigger. */
export function defaultRow(rows: Row[]): string {
  const ran = rows.filter(({ kind }) => kind === 'ran' || kind === 'reused');
  return (ran.findLast(({ state }) => state === 'failed') ?? ran.at(-1))?.key ?? 'trigger';
}

/** The duration of a row as text. `over` means that the run has ended. */
export function durationText(row: Row, over: boolean): string {
  if (row.kind === 'trigger') return duration((row.wait?.to ?? 0) - (row.wait?.from ?? 0));
  if (row.kind === 'reused') return `reused · ${duration(row.step?.duration_ms ?? 0)}`;
  if (row.kind === 'running') return `running ${row.span ? duration(row.span.to - row.span.from) : ''}`;
  if (row.kind === 'upcoming') return over ? 'not run' : 'pending';
  return duration(row.step?.duration_ms ?? 0);
}
