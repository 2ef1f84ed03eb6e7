import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { seriousFaults } from './harness/accessibility';
import { complaints, signedIn } from './harness/browser';
import { clipboard } from './harness/passing';
import { echo } from './harness/receiver';
import { Person } from './harness/server';
import { browser, server, stage } from './harness/stage';

stage('--daily-invocations-quota', '40', '--daily-compute-quota', '1h');

const PATIENCE = { timeout: 20_000 };
const KEEPER = `export default {
  name: 'Keeper', version: '0.0.1', props: { http: '$.interface.http', shop: { type: 'data_store' } },
  async run(event) { await this.shop.set('last', event.body) },
};`;

let operator: Person;
beforeAll(async () => {
  operator = new Person(server, server.key);
});
const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test('somebody of the free plan sees what they have used of their quotas, as the API has it', async () => {
  const who = await server.user('frugal');
  const { send } = await echo(who, 'Orders');
  for (const order of [1, 2, 3]) await send({ order });
  const used = async () => (await who.get<{ data: { daily_invocations_used: number } }>('/users/me')).data;
  await expect.poll(async () => (await used()).daily_invocations_used, PATIENCE).toBeGreaterThanOrEqual(3);
  const { daily_invocations_used } = await used();

  const page = await signedIn(browser, who, '/settings');
  const heard = complaints(page);
  await panel(page, 'You').getByText('frugal@example.com').waitFor();
  await panel(page, 'You').getByText('Free').waitFor();
  const usage = panel(page, 'Usage of today');
  const meter = usage.getByRole('meter', { name: 'Invocations' });
  expect(await meter.getAttribute('aria-valuenow')).toBe(String(daily_invocations_used));
  expect(await meter.getAttribute('aria-valuemax')).toBe('40');
  await usage.getByText(`${daily_invocations_used} of 40`).waitFor();
  await usage.getByText('of 1 h 0 min').waitFor();
  await panel(page, 'Last 31 days').getByText(`${daily_invocations_used} invocations`, { exact: true }).waitFor();
  expect(heard).toEqual([]);
});

test('somebody of the paid plan sees their billing period', async () => {
  const body = { username: 'payer', email: 'payer@example.com', plan: 'paid' };
  const { data } = await operator.post<{ data: { api_key: string } }>('/users', body);
  const page = await signedIn(browser, new Person(server, data.api_key), '/settings');
  await panel(page, 'You').getByText('Paid').waitFor();
  await panel(page, 'Usage of this billing period').getByText('The next period begins').waitFor();
});

test('the key stays hidden, and the ways to use it are ready to copy', async () => {
  const who = await server.user('caller');
  const page = await signedIn(browser, who, '/settings');
  await panel(page, 'API key').getByText(`sluice login --url ${server.url}`).waitFor();
  await page.getByRole('button', { name: 'Copy curl command' }).click();
  await clipboard(page).toContain(`${server.url}/v1/users/me`);
  expect(await page.content()).not.toContain(who.key);
});

test('somebody rotates their own key after a question, sees the new one once and stays signed in', async () => {
  const who = await server.user('careful');
  const page = await signedIn(browser, who, '/settings');
  await panel(page, 'API key').getByRole('button', { name: 'Rotate key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click();
  const shown = page.getByRole('dialog', { name: 'Your new key' });
  const key = await shown.getByLabel('API key', { exact: true }).inputValue();
  await shown.getByRole('button', { name: 'Done' }).click();
  await shown.waitFor({ state: 'hidden' });
  const answers = async (bearer: string) =>
    (await fetch(`${server.url}/v1/users/me`, { headers: { authorization: `Bearer ${bearer}` } })).status;
  expect([await answers(who.key), await answers(key)]).toEqual([401, 200]);
  await page.reload();
  await panel(page, 'You').getByText('careful@example.com').waitFor();
  expect(await page.content()).not.toContain(key);
});

test('dark colours are chosen with the keyboard and kept', async () => {
  const who = await server.user('owl');
  const page = await signedIn(browser, who, '/settings');
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole('radio', { name: 'System' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
  await expect.poll(background).not.toBe(light);
  await page.reload();
  await page.getByRole('radio', { name: 'Dark', checked: true }).waitFor();
  expect(await background()).not.toBe(light);
});

test('data stores are listed, and deleted after a question', async () => {
  const who = await server.user('keeper');
  const source = await who.source('Keeper', KEEPER, { shop: 'orders' });
  const { endpoint_url } = source.configured_props.http as { endpoint_url: string };
  await fetch(endpoint_url, { method: 'POST', body: 'one' });
  await expect.poll(async () => (await who.get<{ data: unknown[] }>('/data_stores')).data.length, PATIENCE).toBe(1);
  const page = await signedIn(browser, who, '/settings');
  await panel(page, 'Data stores').getByRole('cell', { name: 'orders', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Delete orders' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete data store' }).click();
  await page.getByText('No data stores').waitFor();
});

test('the server is shown to operators, with its processes and settings, and to nobody else', async () => {
  const who = await server.user('neighbour');
  const { send } = await echo(who, 'Orders of the neighbour');
  await send({ order: 1 });
  const page = await signedIn(browser, operator, '/settings');
  await page.getByRole('heading', { name: 'Server', exact: true }).waitFor();
  await page.getByText('SQLite', { exact: true }).waitFor();
  const process = panel(page, 'Processes').getByRole('row').filter({ hasText: 'Orders of the neighbour' });
  await process.getByText('neighbour', { exact: true }).waitFor();
  await page.getByLabel('Find a setting').fill('daily-invocations');
  await panel(page, 'Settings of the server').getByText('--daily-invocations-quota').waitFor();
  for (const name of ['/healthz', '/metrics', '/openapi.json']) {
    const href = await page.getByRole('link', { name }).getAttribute('href');
    expect((await fetch(`${server.url}${href}`)).ok).toBe(true);
  }

  const other = await signedIn(browser, who, '/settings');
  await panel(other, 'Data stores').waitFor();
  expect(await other.getByRole('heading', { name: 'Server', exact: true }).count()).toBe(0);
});

test('the settings have no serious fault in light and dark, and fit a narrow screen', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await signedIn(browser, operator, '/settings', { colorScheme });
    await panel(page, 'Settings of the server').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
  }
  const page = await signedIn(browser, operator, '/settings', { width: 390 });
  await panel(page, 'Settings of the server').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
