// Example data: the account of a company that sells lamps. For screenshots and for tests of pages with content.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sendTraffic, WEIGHTS } from './company/traffic';
import type { Company } from './company/types';
import { runDeno } from './deno';
import { Receiver } from './receiver';
import { type Json, Person, type Server } from './server';

type Made = { data: { id: string; configured_props?: { http?: Json } } };

/** Server flags that make deliveries fail soon. */
export const COMPANY_FLAGS = ['--webhook-retries', '1s'];

const WEBHOOKS = ['warehouse', 'chat', 'analytics'] as const;

const SUBSCRIPTIONS: [emitter: string, listener: (typeof WEBHOOKS)[number], channel?: string][] = [
  ['ship-paid-orders', 'warehouse'],
  ['stock-levels', 'warehouse'],
  ['error-watch', 'chat'],
  ['github-pushes', 'chat'],
  ['orders-from-the-shop', 'analytics'],
  ['stripe-payments', 'analytics'],
  ['stripe-payments', 'analytics', 'refunds'],
  ['newsletter-sign-ups', 'analytics'],
];

/** Creates the data. Start the server with `COMPANY_FLAGS`. */
export async function company(server: Server, person = new Person(server, server.key)): Promise<Company> {
  const receiver = await Receiver.start();
  receiver.rejects = (body) => (/"weight":5\.\d/.test(body) ? 'Parcels over 5 kg are for the other gate.' : undefined);
  const made: Company = {
    person,
    sources: {},
    workflows: {},
    webhooks: {},
    endpoints: {},
    run: '',
    delivery: '',
    close: () => receiver.stop(),
  };
  for (const [name, component_code] of await files('sources')) {
    const { data } = await person.post<Made>('/sources', { name: title(name), component_code });
    made.sources[name] = data.id;
    const endpoint = data.configured_props?.http?.endpoint_url;
    if (typeof endpoint === 'string') made.endpoints[name] = endpoint;
  }
  for (const [name, document] of await files('workflows')) {
    made.workflows[name] = (await person.post<Made>('/workflows', { document })).data.id;
  }
  for (const name of WEBHOOKS) {
    const body = { name: title(name), url: `${receiver.url}/${name}`, description: 'Of the company' };
    made.webhooks[name] = (await person.post<Made>('/webhooks', body)).data.id;
  }
  for (const [emitter, listener, event_name] of SUBSCRIPTIONS) {
    const emitter_id = made.sources[emitter] ?? made.workflows[emitter];
    await person.post('/subscriptions', { emitter_id, listener_id: made.webhooks[listener], event_name });
  }
  await person.put(`/sources/${made.sources['nightly-export']}`, { active: false });
  return { ...made, ...(await sendTraffic(made)) };
}

/** Writes hourly counts of past days to the database. The API cannot do this. */
export async function past(server: Server, { sources, workflows }: Company) {
  const weights = Object.entries({ ...sources, ...workflows }).map(([name, id]) => [id, WEIGHTS[name] ?? 1]);
  await runDeno('company/past.mjs', server.database, JSON.stringify(weights));
}

async function files(kind: 'sources' | 'workflows'): Promise<[name: string, text: string][]> {
  const folder = join(import.meta.dirname, 'company', kind);
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(
      async (file) => [file.replace(/\.\w+$/, ''), await readFile(join(folder, file), 'utf8')] as [string, string],
    ),
  );
}

/** `github-pushes` becomes "GitHub pushes". */
function title(name: string): string {
  const words = name.replaceAll('-', ' ').replace('sign ups', 'sign-ups').replace('github', 'GitHub');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
