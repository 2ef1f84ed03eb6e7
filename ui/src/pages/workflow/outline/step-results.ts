// The results of the steps of a run.
import type { Run } from '../../../api/types';
import { isOver } from '../run/states';

export type StepResult = { state: string; at: number };
export type LastResults = { run: string; over: boolean; steps: Map<string, StepResult> };

/** The last attempt of each step. */
export function resultsOf({ id, state, steps }: Pick<Run, 'id' | 'state' | 'steps'>): LastResults {
  const results = new Map<string, StepResult>();
  for (const step of steps) results.set(step.name, { state: step.state, at: step.started_at_ms });
  return { run: id, over: isOver(state), steps: results };
}
