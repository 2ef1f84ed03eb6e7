// The forms of components as the public ones are written: numbers as values of options, nested options, additional props and
// alerts. A terminal test fills in the same forms (`crates/sluice-e2e/tests/it/commands/forms.rs`).
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { open, pageErrors, takeSession } from './harness/browser';
import { type FormCase, formApps, formCases, storedValues } from './harness/form-cases';
import { FormFiller } from './harness/form-filler';
import { Keyboard } from './harness/keyboard';
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
  if (one.reopened) {
    await page.goto(`${server.url}/sources/${id}/configuration`);
    await page.locator('.fields[aria-busy=false]').waitFor();
    await form.recognizes(one.steps);
  }
  // A rejected value and an app that is not registered are responses with errors.
  expect(errors.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
});

const GROUPS = `export default { name: "Groups", version: "0.0.1", props: {
  flag: { type: "boolean", label: "Flag" },
  days: { type: "string[]", label: "Days", options: ["Mon", "Tue"] },
  fields: { type: "object", label: "Fields" },
  place: { type: "string", label: "Place", async options() { return [{ label: "Hill", value: 1 }, { label: "Hilltop", value: 2 }]; } },
  people: { type: "string[]", label: "People", async options() { return ["Ada", "Grace"]; } },
  extra: { type: "string", label: "Extra", optional: true },
}, run() {} };`;

test('the focus moves to errors, and stays in the form when fields and values are removed', async () => {
  const who = await server.user('groups');
  await takeSession(page.context(), server, who.key);
  const { data } = await who.post<{ data: { id: string } }>('/components', { component_code: GROUPS });
  await page.goto(`${server.url}/sources/new?component=${data.id}`);
  const keys = new Keyboard(page);
  const submit = async () => {
    await keys.tabTo('Create source');
    await keys.press('Enter');
  };
  await new FormFiller(page).enter();

  await submit();
  await keys.expectFocus({ name: 'Yes', groups: ['Flag'] });
  expect(await page.getByRole('group', { name: 'Flag', description: 'This field is required.' }).count()).toBe(1);
  await keys.press('Space');
  await submit();
  await keys.expectFocus({ name: 'Mon', groups: ['Days'] });
  await keys.press('Space');
  await submit();
  await keys.expectFocus({ name: 'Add field', groups: ['Fields'] });
  await keys.press('Enter');
  await keys.expectFocus({ name: 'Fields, name 1' });
  await keys.type('a');

  // The option that was typed, not the first that contains it. Text that is deleted leaves no value.
  await keys.tabTo('Place');
  await keys.type('Hilltop');
  await keys.expectFocus({ option: 'Hilltop' });
  await keys.press('Enter');
  await keys.expectFocus({ name: 'Place', value: 'Hilltop' });
  await keys.replace('');
  await keys.tabTo('People');
  await keys.press('ArrowDown');
  for (const name of ['Ada', 'Grace']) {
    await page.getByRole('option', { name }).waitFor();
    await keys.arrowUntil(({ option }) => option === name, name);
    await keys.press('Enter');
  }
  await keys.press('Shift+Tab');
  await keys.expectFocus({ name: 'Remove Grace' });
  await keys.press('Enter');
  await keys.expectFocus({ name: 'People' });
  await submit();
  await keys.expectFocus({ name: 'Place', invalid: true, description: 'This field is required.' });
  await keys.type('Valley');

  await keys.tabTo('Extra', 'Optional fields');
  await keys.press('Enter');
  await keys.expectFocus({ name: 'Extra', groups: [] });
  await keys.press('Shift+Tab');
  await keys.expectFocus({ name: 'Remove Extra' });
  await keys.press('Enter');
  await keys.expectFocus({ name: 'Extra', groups: ['Optional fields'] });
  await submit();
  await page.waitForURL(/\/sources\/dc_\w+$/);
  const id = /dc_\w+/.exec(page.url())?.[0] ?? '';
  const values = { flag: true, days: ['Mon'], fields: { a: '' }, place: 'Valley', people: ['Ada'] };
  expect(await storedValues(who, id)).toEqual(values);
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
