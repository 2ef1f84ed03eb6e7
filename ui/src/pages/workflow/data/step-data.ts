// The data that the steps of a document would read: from tests, and from the newest run.
import { getContext, setContext } from 'svelte';
import type { Run } from '../../../api/types';
import type { StepTests } from '../outline/step-tests.svelte';
import type { Scope } from './paths';

export type StepData = {
  scope: () => Scope;
  /** The inputs of a step in its last test, or in the newest run. */
  inputs: (step: string) => Record<string, unknown> | undefined;
};

/** Results of tests replace those of the run. */
export function scopeOf(
  run: Pick<Run, 'event' | 'steps'> | undefined,
  tests: Pick<StepTests, 'results' | 'last'>,
): Scope {
  const event = tests.last ? tests.last.test.event : run?.event;
  const ran = (run?.steps ?? []).map(({ name, exports }) => [name, exports] as const);
  const tested = Object.entries(tests.results).map(([name, { step }]) => [name, step.exports] as const);
  return { event, steps: { trigger: { event }, ...Object.fromEntries([...ran, ...tested]) } };
}

export function inputsOf(
  run: Pick<Run, 'steps'> | undefined,
  tests: Pick<StepTests, 'results'>,
  step: string,
): Record<string, unknown> | undefined {
  const ran = run?.steps.findLast(({ name }) => name === step);
  const inputs = (tests.results[step]?.step ?? ran)?.inputs;
  return (inputs as Record<string, unknown> | null | undefined) ?? undefined;
}

const DATA = Symbol('step data');
const STEP = Symbol('step');

export function provideData(data: StepData) {
  setContext(DATA, data);
}

export function stepData(): StepData {
  return getContext(DATA);
}

/** The step whose form is shown, and the steps before it. */
export type OpenStep = () => { name: string; earlier: string[] };

export function provideStep(step: OpenStep) {
  setContext(STEP, step);
}

export function openStep(): OpenStep {
  return getContext(STEP);
}
