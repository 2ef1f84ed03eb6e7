// The components of `crates/sluice-e2e/forms`, with the answers that a person gives. Its README describes the format.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json, Person } from './server';

const FOLDER = join(import.meta.dirname, '../../../crates/sluice-e2e/forms');

export type Step = {
  /** The label of the prop. */
  prop?: string;
  /** It is offered behind a button. */
  optional?: boolean;
  type?: string;
  /** A value that is rejected with `error`, typed before the right one. */
  wrong?: string;
  error?: string;
  secret?: string;
  pick?: string;
  picks?: string[];
  answer?: boolean;
  lines?: string[];
  pairs?: Record<string, string>;
  json?: string;
  every?: string;
  cron?: string;
  sql?: string;
  request?: { method: string; url: string; headers: Record<string, string>; body: string };
  choose?: string;
  chooses?: string[];
  /** Further pages of options to load. */
  pages?: number;
  search?: string;
  own?: string;
  owns?: string[];
  /** The error of the options. */
  fails?: string;
  keep?: string;
  skip?: boolean;
  account?: string;
  connect?: Record<string, string>;
  alert?: string;
  kind?: string;
  absent?: string;
};

export type FormCase = {
  name: string;
  code: string;
  accounts?: { app: string; name: string; credentials: Json }[];
  steps: Step[];
  values: Json;
  emits?: unknown;
  /** The form of the source is opened again. */
  reopened?: boolean;
};

export async function formCases(): Promise<FormCase[]> {
  const names = (await readdir(FOLDER)).filter((file) => file.endsWith('.mjs')).sort();
  return Promise.all(
    names.map(async (file) => {
      const name = file.replace(/\.mjs$/, '');
      const answers = JSON.parse(await readFile(join(FOLDER, `${name}.json`), 'utf8')) as Omit<
        FormCase,
        'name' | 'code'
      >;
      return { ...answers, name, code: await readFile(join(FOLDER, file), 'utf8') };
    }),
  );
}

export async function formApps(): Promise<Json[]> {
  return JSON.parse(await readFile(join(FOLDER, 'apps.json'), 'utf8')) as Json[];
}

/** The values of a source. Accounts have their names, and endpoints have no address. */
export async function storedValues(who: Person, source: string): Promise<Json> {
  const { data } = await who.get<{ data: { configured_props: Json } }>(`/sources/${source}`);
  const accounts = await who.get<{ data: { id: string; name: string }[] }>('/accounts');
  const names = new Map(accounts.data.map(({ id, name }) => [id, name]));
  const readable = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('endpoint_url' in value) return { endpoint_url: '…' };
    if ('authProvisionId' in value) return { authProvisionId: names.get(value.authProvisionId as string) };
    return value;
  };
  return Object.fromEntries(Object.entries(data.configured_props).map(([name, value]) => [name, readable(value)]));
}
