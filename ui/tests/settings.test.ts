import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { echo, Receiver } from './harness/receiver';
import { clipboard } from './harness/recording';
import { Person, Server } from './harness/server';
import { browser, ownStage, server } from './harness/stage';
import { deploy, documentOf, reached, run, step } from './harness/workflows';

ownStage('--daily-invocations-quota', '40', '--daily-compute-quota', '1h');

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

test('a user of the free plan sees the usage of the quotas', async () => {
  const who = await server.user('frugal');
  const { send } = await echo(who, 'Orders');
  for (const order of [1, 2, 3]) await send({ order });
  const used = async () => (await who.get<{ data: { daily_invocations_used: number } }>('/users/me')).data;
  await expect.poll(async () => (await used()).daily_invocations_used, PATIENCE).toBeGreaterThanOrEqual(3);
  const { daily_invocations_used } = await used();

  const page = await signedIn(browser, who, '/settings');
  const errors = pageErrors(page);
  await panel(page, 'Profile').getByText(who.email).waitFor();
  await panel(page, 'Profile').getByText('Free').waitFor();
  const usage = panel(page, 'Usage today');
  const meter = usage.getByRole('meter', { name: 'Invocations' });
  expect(await meter.getAttribute('aria-valuenow')).toBe(String(daily_invocations_used));
  expect(await meter.getAttribute('aria-valuemax')).toBe('40');
  await usage.getByText(`${daily_invocations_used} of 40`).waitFor();
  await usage.getByText('of 1 h 0 min').waitFor();
  const days = panel(page, 'Last 31 days');
  await days.getByText(`${daily_invocations_used} invocations`, { exact: true }).waitFor();
  const chart = await days.getByRole('img').boundingBox();
  const whole = await days.boundingBox();
  expect(chart?.width).toBeGreaterThan(0.9 * (whole?.width ?? Number.POSITIVE_INFINITY));
  expect(errors).toEqual([]);
});

test('an exceeded quota is shown, and a manual run shows the error', async () => {
  const own = await Server.start('--daily-invocations-quota', '1');
  try {
    const who = await own.user('spender');
    const { id } = await deploy(who, documentOf('Once', [step('once', 'return 1;')]));
    await reached(who, id, await run(who, id), 'succeeded');
    const page = await signedIn(browser, who, '/settings');
    await panel(page, 'Usage today').getByText('Quota exceeded.').waitFor();
    await page.goto(`${own.url}/workflows/${id}`);
    await page.getByRole('button', { name: 'Run now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await dialog.getByText('Daily invocations quota exceeded').waitFor();
  } finally {
    await own.stop();
  }
});

test('a user of the paid plan sees the billing period', async () => {
  const body = { username: 'payer', email: 'payer@example.com', plan: 'paid' };
  const { data } = await operator.post<{ data: { api_key: string } }>('/users', body);
  const page = await signedIn(browser, new Person(server, data.api_key), '/settings');
  await panel(page, 'Profile').getByText('Paid').waitFor();
  await panel(page, 'Usage this billing period').getByText('The next period starts').waitFor();
});

test('the key stays hidden, and example commands can be copied', async () => {
  const who = await server.user('caller');
  const page = await signedIn(browser, who, '/settings');
  await panel(page, 'API key').getByText(`sluice login --url ${server.url}`).waitFor();
  await page.getByRole('button', { name: 'Copy curl command' }).click();
  await clipboard(page).toContain(`${server.url}/v1/users/me`);
  expect(await page.content()).not.toContain(who.key);
});

test('a user rotates their own key after confirmation, sees the new one once and stays signed in', async () => {
  const who = await server.user('careful');
  const page = await signedIn(browser, who, '/settings');
  await panel(page, 'API key').getByRole('button', { name: 'Rotate key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click();
  const shown = page.getByRole('dialog', { name: 'Your new API key' });
  const key = await shown.getByLabel('API key', { exact: true }).inputValue();
  await shown.getByRole('button', { name: 'Done' }).click();
  await shown.waitFor({ state: 'hidden' });
  const answers = async (bearer: string) =>
    (await fetch(`${server.url}/v1/users/me`, { headers: { authorization: `Bearer ${bearer}` } })).status;
  expect([await answers(who.key), await answers(key)]).toEqual([401, 200]);
  await page.reload();
  await panel(page, 'Profile').getByText(who.email).waitFor();
  expect(await page.content()).not.toContain(key);
});

test('the dark theme is selected with the keyboard and stored', async () => {
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

test('data stores are listed, and deleted after confirmation', async () => {
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

test('only operators see the server with its processes and settings', async () => {
  const who = await server.user('neighbour');
  const { send } = await echo(who, 'Orders of the neighbour');
  await send({ order: 1 });
  const page = await signedIn(browser, operator, '/settings');
  await page.getByRole('heading', { name: 'Server', exact: true }).waitFor();
  await page.getByText('SQLite', { exact: true }).waitFor();
  const process = panel(page, 'Processes').getByRole('row').filter({ hasText: 'Orders of the neighbour' });
  await process.getByText('neighbour', { exact: true }).waitFor();
  await page.getByLabel('Search settings').fill('daily-invocations');
  await panel(page, 'Server settings').getByText('--daily-invocations-quota').waitFor();
  for (const name of ['/healthz', '/metrics', '/openapi.json']) {
    const href = await page.getByRole('link', { name }).getAttribute('href');
    expect((await fetch(`${server.url}${href}`)).ok).toBe(true);
  }

  const other = await signedIn(browser, who, '/settings');
  await panel(other, 'Data stores').waitFor();
  expect(await other.getByRole('heading', { name: 'Server', exact: true }).count()).toBe(0);
});

test('notifications are set, tested and signed with a secret that is shown once', async () => {
  const receiver = await Receiver.start();
  try {
    const who = await server.user('watchful');
    const page = await signedIn(browser, who, '/settings#notifications');
    const errors = pageErrors(page);
    const section = panel(page, 'Notifications');
    await section.getByText('This server cannot send mail').waitFor();
    await section.getByLabel('Webhook URL').fill('example.com');
    await section.getByRole('button', { name: 'Save notifications' }).click();
    await section.getByText('Enter a URL that starts with').waitFor();
    await section.getByLabel('Webhook URL').fill(receiver.url);
    await section.getByLabel('Failures in a row').fill('5');
    await section.getByLabel('Workflows').uncheck();
    await section.getByRole('button', { name: 'Save notifications' }).click();
    const shown = page.getByRole('dialog', { name: 'Signing secret of notifications' });
    expect(await shown.getByLabel('Signing secret', { exact: true }).inputValue()).toMatch(/^whsec_/);
    await shown.getByRole('button', { name: 'Done' }).click();
    await shown.waitFor({ state: 'hidden' });

    await section.getByRole('button', { name: 'Send test' }).click();
    await section.getByText('Webhook: sent.').waitFor();
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.headers['webhook-signature']).toMatch(/^v1,/);
    receiver.status = 500;
    await section.getByRole('button', { name: 'Send test' }).click();
    await section.getByText('Webhook: not sent.').waitFor();

    type Settings = { data: { failures: number; workflows: boolean; signing_secret?: string } };
    const { data } = await who.get<Settings>('/users/me/notifications');
    expect(data).toMatchObject({ failures: 5, workflows: false });
    expect(data.signing_secret).toBeUndefined();
    await page.reload();
    await expect.poll(() => section.getByLabel('Failures in a row').inputValue()).toBe('5');
    expect(errors).toEqual([]);
  } finally {
    await receiver.stop();
  }
});

test('the settings have no serious accessibility violations in light and dark, and fit a narrow screen', async () => {
  const page = await signedIn(browser, operator, '/settings');
  await panel(page, 'Server settings').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.reload();
  await panel(page, 'Server settings').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
