// The data that the steps of a document would read: from tests, the newest run, or a sample.
import { createQuery } from '@tanstack/svelte-query';
import { sourceSamplesOptions } from '../../../api/samples';
import { lastResultsOptions } from '../outline/last-results';
import type { StepTests } from '../outline/step-tests.svelte';
import { runQuery, workflowQuery } from '../queries';
import { triggerSources } from '../triggers';
import type { Env } from './paths';
import { inputsOf, type StepData, scopeOf } from './step-data';

/** `workflow` is the deployed one; undefined for a new one. */
export function knownData(workflow: string | undefined, tests: StepTests, env: () => Env): StepData {
  // Data is read later, by completion and forms, so a change of any part of the result counts.
  const notifyOnChangeProps = 'all' as const;
  const id = workflow ?? '';
  const newest = createQuery(() => lastResultsOptions(workflow));
  const run = createQuery(() => ({
    ...runQuery(id, newest.data?.run ?? ''),
    enabled: newest.data?.over === true,
    notifyOnChangeProps,
  }));
  const deployed = createQuery(() => ({ ...workflowQuery(id), enabled: newest.data === null, notifyOnChangeProps }));
  const sources = $derived(triggerSources(deployed.data?.triggers ?? []));
  const samples = createQuery(() => ({
    ...sourceSamplesOptions(sources),
    enabled: sources.length > 0,
    notifyOnChangeProps,
  }));
  const sample = $derived(samples.data?.[0]?.event ?? (tests.input.valid ? tests.input.event : undefined));
  const known = $derived(scopeOf(run.data, tests, sample, env()));
  return {
    scope: () => known.scope,
    origin: () => known.origin,
    inputs: (step) => inputsOf(run.data, tests, step),
  };
}
