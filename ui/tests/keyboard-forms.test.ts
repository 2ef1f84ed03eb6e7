// The forms of components as the public ones are written: numbers as values of options, nested options, additional props and
// alerts. A terminal test fills in the same forms (`crates/sluice-e2e/tests/it/commands/forms.rs`).
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { open, pageErrors, takeSession } from './harness/browser';
import { type FormCase, formApps, formCases, storedValues } from './harness/form-cases';
import { FormFiller } from './harness/form-filler';
import type { Person } from './harness/server';
import { browser, lastingStage, server } from './harness/stage';

// The forms share a page, so it stays open.
lastingStage();

const cases = await formCases();
let page: Page;
let errors: string[];

beforeAll(async () => {
  for (const app of await formApps()) await server.call('POST', '/apps', app);
  page = await open(browser);
  errors = pageErrors(page);
});

test('there are thirty components', () => {
  expect(cases.length).toBe(30);
});

test.each(cases)('the form of $name is filled in by keyboard', async (one) => {
  errors.length = 0;
  const who = await server.user(one.name);
  await takeSession(page.context(), server, who.key);
  const { data } = await who.post<{ data: { id: string } }>('/components', { component_code: one.code });
  for (const account of one.accounts ?? []) await who.post('/accounts', account);
  await page.goto(`${server.url}/sources/new?component=${data.id}`);
  const form = new FormFiller(page);
  await form.enter();
  await form.fill(one.steps);
  const id = await form.create();
  expect(await storedValues(who, id)).toEqual(one.values);
  await checkRun(who, id, one);
  // A rejected value and an app that is not registered are responses with errors.
  expect(errors.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
});

/** The code sees the values. */
async function checkRun(who: Person, source: string, { emits }: FormCase) {
  if (emits === undefined) return;
  await who.post(`/sources/${source}/run`);
  const newest = async () => {
    const path = `/sources/${source}/event_summaries?limit=1&expand=event`;
    return (await who.get<{ data: { event: unknown }[] }>(path)).data[0]?.event;
  };
  await expect.poll(newest).toEqual(emits);
}
