// The data that the steps of a document would read: from tests, and from the newest run.
import { getContext, setContext } from 'svelte';
import type { Run } from '../../../api/types';
import type { StepTests } from '../outline/step-tests.svelte';
import type { Env, Scope } from './paths';

/** Where the event comes from. */
export type Origin = 'test' | 'run' | 'sample';

export type StepData = {
  scope: () => Scope;
  origin: () => Origin;
  /** The inputs of a step in its last test, or in the newest run. */
  inputs: (step: string) => Record<string, unknown> | undefined;
};

/** Results of tests replace those of the run. Without both, the event is the sample. */
export function scopeOf(
  run: Pick<Run, 'event' | 'steps'> | undefined,
  tests: Pick<StepTests, 'results' | 'last'>,
  sample: unknown,
  env: Env,
): { scope: Scope; origin: Origin } {
  const origin = tests.last ? 'test' : run ? 'run' : 'sample';
  const event = { test: tests.last?.test.event, run: run?.event, sample }[origin];
  const ran = (run?.steps ?? []).map(({ name, exports }) => [name, exports] as const);
  const tested = Object.entries(tests.results).map(([name, { step }]) => [name, step.exports] as const);
  const steps = { trigger: { event }, ...Object.fromEntries([...ran, ...tested]) };
  return { scope: { event, steps, process: { env } }, origin };
}

/** The data that a step can read. Earlier steps without data are in it as undefined. */
export function scopeAt({ event, steps, process }: Scope, earlier: string[]): Scope {
  const before = earlier.map((name) => [name, Object.hasOwn(steps, name) ? steps[name] : undefined]);
  return { event, steps: { trigger: steps.trigger, ...Object.fromEntries(before) }, ...(process && { process }) };
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

/** The step whose form is shown, and the steps before it. `locked` forbids changes. */
export type OpenStep = () => { name: string; earlier: string[]; locked: boolean };

export function provideStep(step: OpenStep) {
  setContext(STEP, step);
}

export function openStep(): OpenStep {
  return getContext(STEP);
}
