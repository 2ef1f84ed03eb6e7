// Tests of steps from the editor. Their last results are kept while it is open.
import { getContext, setContext } from 'svelte';
import { api, data } from '../../../api/client';
import type { TestedStep, TestWorkflow, WorkflowTest } from '../../../api/types';
import { lastEvent, parseEvent, storeEvent } from '../event';
import type { LastResults } from './step-results';

/** The part of a request that the editor knows. */
export type TestSubject = {
  workflow: string | undefined;
  document: string;
  files: Record<string, string>;
  secrets: Record<string, string>;
};
/** The origin of the event: the last run, a chosen run, or text. */
export type EventOrigin = 'last' | 'run' | 'own';
export type Tested = { step: TestedStep; at: number };

const KEY = Symbol('step tests');

export class StepTests {
  origin = $state<EventOrigin>('own');
  /** The chosen run. */
  run = $state<string | undefined>();
  /** The event as text. */
  text = $state('');
  /** Whether sends are made. */
  send = $state(false);
  /** The step that is being tested. */
  busy = $state<string | undefined>();
  /** The last result of each step, by name. */
  results = $state.raw<Record<string, Tested>>({});
  /** The last test, and the step that it was for. */
  last = $state.raw<{ step: string; test: WorkflowTest } | undefined>();
  failure = $state.raw<{ step: string; error: unknown } | undefined>();
  readonly input = $derived(parseEvent(this.text));
  readonly valid = $derived(this.origin !== 'own' || this.input.valid);
  #subject: () => TestSubject;

  constructor(subject: () => TestSubject, hasRuns: boolean) {
    this.#subject = subject;
    this.text = lastEvent(subject().workflow ?? 'new');
    if (hasRuns) this.origin = 'last';
  }

  /** Tests a step alone, or all steps up to it. `earlier` are the names of the steps before it. */
  async test(step: string, only: boolean, earlier: string[]) {
    if (this.busy !== undefined || !this.valid) return;
    this.busy = step;
    this.failure = undefined;
    try {
      const test = await data(api.POST('/v1/workflows/test', { body: this.request(step, only, earlier) }));
      this.#keep(step, test);
    } catch (error) {
      this.failure = { step, error };
    } finally {
      this.busy = undefined;
    }
  }

  request(step: string, only: boolean, earlier: string[]): TestWorkflow {
    const { workflow, document, files, secrets } = this.#subject();
    const request: TestWorkflow = { document, files, secrets, step, only, send: this.send };
    if (workflow !== undefined) request.workflow = workflow;
    if (this.origin === 'own') {
      storeEvent(workflow ?? 'new', this.text);
      request.event = this.input.valid ? this.input.event : {};
    } else request.from_run = (this.origin === 'run' && this.run) || 'last';
    if (only) request.exports = this.#exportsOf(earlier);
    return request;
  }

  /** A step alone gets what earlier steps exported in their last tests. */
  #exportsOf(earlier: string[]): Record<string, Record<string, unknown>> {
    const known = earlier.filter((name) => this.results[name]?.step.state === 'completed');
    return Object.fromEntries(known.map((name) => [name, this.results[name]?.step.exports as Record<string, unknown>]));
  }

  #keep(step: string, test: WorkflowTest) {
    const at = Date.now();
    const tested = test.steps.map((one) => [one.name, { step: one, at }] as const);
    this.results = { ...this.results, ...Object.fromEntries(tested) };
    this.last = { step, test };
  }

  /** The results of a run, replaced by those of later tests. */
  over(results: LastResults | null | undefined): LastResults | null | undefined {
    const tested = Object.entries(this.results);
    if (tested.length === 0) return results;
    const steps = new Map(results?.steps);
    for (const [name, { step, at }] of tested) {
      if (at >= (steps.get(name)?.at ?? 0))
        steps.set(name, { state: step.state === 'completed' ? 'tested' : step.state, at });
    }
    return { run: results?.run ?? '', over: results?.over ?? true, steps };
  }
}

export function provideTests(tests: StepTests) {
  setContext(KEY, tests);
}

export function stepTests(): StepTests {
  return getContext(KEY);
}
