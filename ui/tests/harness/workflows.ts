// Workflows for tests.
import { expect } from 'vitest';
import type { Json, Person } from './server';

export type DeployedWorkflow = { id: string; version: number; name_slug: string };
export type RunSummary = { id: string; state: string; steps: { name: string; state: string }[] };

/** Deploys a document with its files and secrets. */
export async function deploy(who: Person, document: string, more: Json = {}): Promise<DeployedWorkflow> {
  return (await who.post<{ data: DeployedWorkflow }>('/workflows', { document, ...more })).data;
}

/** Runs a workflow with an event. Returns the id of the run. */
export async function run(who: Person, workflow: string, event: unknown = {}): Promise<string> {
  return (await who.post<{ data: { id: string } }>(`/workflows/${workflow}/run`, { event })).data.id;
}

/** Waits until a run reaches a state. */
export async function reached(who: Person, workflow: string, run: string, state: string): Promise<RunSummary> {
  const look = async () => (await who.get<{ data: RunSummary }>(`/workflows/${workflow}/runs/${run}`)).data;
  await expect.poll(async () => (await look()).state, { timeout: 30_000, interval: 100 }).toBe(state);
  return look();
}

/** A step with the body of an async function of `{ steps, $ }`. */
export function step(name: string, body: string): string {
  const lines = body.split('\n').map((line) => `          ${line}`);
  return [
    `  - name: ${name}`,
    '    code: |',
    '      export default defineComponent({',
    '        async run({ steps, $ }) {',
    ...lines,
    '        },',
    '      });',
    '',
  ].join('\n');
}

/** A document with these steps, after `head`. */
export function documentOf(name: string, steps: string[], head = ''): string {
  return `name: ${name}\n${head}steps:\n${steps.join('')}`;
}
