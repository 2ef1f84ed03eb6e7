// Two runs side by side: the steps of both, paired by name and attempt.
import type { Run, RunStep } from '../../../api/types';

export type StepPair = { key: string; name: string; attempt: number; a: RunStep | undefined; b: RunStep | undefined };

/** Steps of both runs in the order of the first run; those that only the second one has follow the step before them. */
export function pairs(a: Pick<Run, 'steps'>, b: Pick<Run, 'steps'>): StepPair[] {
  const keyOf = (step: RunStep) => `${step.name} ${step.attempt}`;
  const left = new Map(a.steps.map((step) => [keyOf(step), step]));
  const right = new Map(b.steps.map((step) => [keyOf(step), step]));
  const order = [...left.keys()];
  let after = -1;
  for (const key of right.keys()) {
    const at = order.indexOf(key);
    if (at >= 0) after = at;
    else {
      after += 1;
      order.splice(after, 0, key);
    }
  }
  return order.map((key) => {
    const [one, other] = [left.get(key), right.get(key)];
    const step = one ?? other;
    return { key, name: step?.name ?? '', attempt: step?.attempt ?? 1, a: one, b: other };
  });
}

/** Indented JSON whose objects have their keys in order, so that only values differ. */
export function comparable(value: unknown): string {
  return value == null ? '' : `${JSON.stringify(sorted(value), null, 2)}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}

/** The parts of a step that differ. */
export function differing({ a, b }: StepPair): ('inputs' | 'exports' | 'error')[] {
  return (['inputs', 'exports', 'error'] as const).filter((part) => comparable(a?.[part]) !== comparable(b?.[part]));
}

/** `+120 ms`, `−1.5 s`; undefined without two durations. */
export function change(
  a: number | undefined,
  b: number | undefined,
  format: (ms: number) => string,
): string | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a === b) return '±0 ms';
  return `${b > a ? '+' : '−'}${format(Math.abs(b - a))}`;
}
