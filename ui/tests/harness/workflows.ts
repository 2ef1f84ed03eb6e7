// Workflows for the tests of their pages.
import { expect } from 'vitest';
import type { Json, Person } from './server';

export type Deployed = { id: string; version: number; name_slug: string };
export type SeenRun = { id: string; state: string; steps: { name: string; state: string }[] };

/** Deploys a document with its files and secrets. */
export async function deploy(who: Person, document: string, more: Json = {}): Promise<Deployed> {
  return (await who.post<{ data: Deployed }>('/workflows', { document, ...more })).data;
}

/** Runs a workflow with an event, and tells the id of the run. */
export async function run(who: Person, workflow: string, event: unknown = {}): Promise<string> {
  return (await who.post<{ data: { id: string } }>(`/workflows/${workflow}/run`, { event })).data.id;
}

/** Waits until a run is in a state. */
export async function reached(who: Person, workflow: string, run: string, state: string): Promise<SeenRun> {
  const look = async () => (await who.get<{ data: SeenRun }>(`/workflows/${workflow}/runs/${run}`)).data;
  await expect.poll(async () => (await look()).state, { timeout: 30_000, interval: 100 }).toBe(state);
  return look();
}

/** A step whose code is the body of an async function of `{ steps, $ }`. */
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

/** A document with these steps; what else it has comes before them. */
export function documentOf(name: string, steps: string[], head = ''): string {
  return `name: ${name}\n${head}steps:\n${steps.join('')}`;
}
