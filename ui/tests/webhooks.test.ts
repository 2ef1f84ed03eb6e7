import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, rowsWithStatus, signedIn } from './harness/browser';
import { echo, type ReceivedRequest, Receiver, webhook } from './harness/receiver';
import { clipboard, expectToast, waitForTraffic } from './harness/recording';
import { Server } from './harness/server';
import { browser, server, stage } from './harness/stage';

stage();

const PATIENCE = { timeout: 20_000 };
const receivers: Receiver[] = [];
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.stop()));
});

async function receiver(): Promise<Receiver> {
  const started = await Receiver.start();
  receivers.push(started);
  return started;
}

function signedWith({ headers, body }: ReceivedRequest, secret: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const wanted = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(wanted);
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a webhook is created from a deep link, its secret is shown once, and deliveries are signed with it', async () => {
  const who = await server.user('maker');
  const { id: source, send } = await echo(who, 'Orders');
  const there = await receiver();
  const page = await signedIn(browser, who, '/webhooks?action=create');
  const errors = pageErrors(page);
  await page.getByLabel('URL').fill('not a url');
  await button(page, 'Create webhook').click();
  await page.getByText('Enter a URL that starts with https:// or http://.').waitFor();

  await page.getByLabel('URL').fill(there.url);
  await page.getByLabel('Name').fill('Order desk');
  await page.getByLabel('Description').fill('Packs what was ordered');
  await page.getByLabel('Concurrent deliveries').fill('2');
  await page.keyboard.press('Enter');
  const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue();
  expect(secret).toMatch(/^whsec_/);
  await button(page, 'Copy signing secret').click();
  await clipboard(page).toBe(secret);
  await page.getByText('How to verify a delivery').click();
  await page.getByText('webhook-timestamp', { exact: false }).first().waitFor();
  await button(page, 'Done').click();

  await page.getByRole('heading', { name: 'Order desk' }).waitFor();
  await page.getByText('Packs what was ordered').waitFor();
  await expect.poll(() => page.content()).not.toContain(secret);
  await page.reload();
  await page.getByText('No subscriptions yet').waitFor();

  await button(page, 'Add subscription').click();
  await page.getByLabel('Source or workflow').fill('ord');
  await page.getByRole('option', { name: 'Orders' }).click();
  await button(page, 'Subscribe').click();
  await page.getByRole('link', { name: 'Orders' }).waitFor();
  await send({ order: 1 });
  await expect.poll(() => there.received.length, PATIENCE).toBe(1);
  expect(there.received[0] && signedWith(there.received[0], secret)).toBe(true);
  expect(source).toMatch(/^dc_/);

  await button(page, 'Delete subscription').click();
  await page.getByText('No subscriptions yet').waitFor();
  expect(errors).toEqual([]);
});

test('a failing webhook looks failing everywhere, and a retry shows its result', async () => {
  const patient = await Server.start('--webhook-retries', '2h');
  try {
    const who = await patient.user('sufferer');
    const { id: source, send } = await echo(who, 'Orders');
    const there = await receiver();
    there.status = 500;
    const id = await webhook(who, 'Desk', there.url, source);
    await send({ order: 1 });
    const page = await signedIn(browser, who, '/webhooks');
    const row = page.getByRole('row').filter({ hasText: 'Desk' });
    await row.getByText('Failing').waitFor();
    await row.getByText(/retry in (2 h|1 h 59)/).waitFor();

    await page.goto(`${patient.url}/`);
    await page.getByText('1 failing', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Desk' }).waitFor();
    await page.goto(`${patient.url}/flow`);
    await page.getByText(/^failing, retry at/).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search by name, or paste an ID').fill('Desk');
    await page.getByRole('option').or(page.locator('.palette-item')).filter({ hasText: 'Failing' }).first().waitFor();

    await page.goto(`${patient.url}/webhooks/${id}`);
    await button(page, 'Retry now').click();
    await expectToast(page, 'Not delivered: the webhook answered 500');
    expect(there.received).toHaveLength(2);
    there.status = 204;
    await button(page, 'Retry now').click();
    await expectToast(page, 'Delivered: 204');
    await page.getByText('Failing since').waitFor({ state: 'detached' });
    expect(there.received).toHaveLength(3);
  } finally {
    await patient.stop();
  }
});

test('a rotated secret is shown once, with the expiry of the old one', async () => {
  const who = await server.user('rotator');
  const { id: source, send } = await echo(who, 'Orders');
  const there = await receiver();
  const { data } = await who.post<{ data: { id: string; signing_secret: string } }>('/webhooks', { url: there.url });
  await who.post('/subscriptions', { emitter_id: source, listener_id: data.id });
  const page = await signedIn(browser, who, `/webhooks/${data.id}`);
  await button(page, 'Rotate secret').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue();
  expect(secret).not.toBe(data.signing_secret);
  await page.getByText('Deliveries are also signed with the old secret until').waitFor();
  await button(page, 'Done').click();
  await send({ order: 1 });
  await expect.poll(() => there.received.length, PATIENCE).toBe(1);
  for (const one of there.received) {
    expect(signedWith(one, secret)).toBe(true);
    expect(signedWith(one, data.signing_secret)).toBe(true);
  }
});

test('a webhook is deactivated, activated, edited, and deleted after confirmation', async () => {
  const who = await server.user('editor');
  const there = await receiver();
  const id = await webhook(who, 'Desk', there.url);
  const page = await signedIn(browser, who, `/webhooks/${id}`);
  const stored = async () => (await who.get<{ data: Record<string, unknown> }>(`/webhooks/${id}`)).data;

  await page.getByRole('switch', { name: 'Active', checked: true }).click();
  await page.getByRole('switch', { name: 'Active', checked: false }).waitFor();
  expect(await stored()).toMatchObject({ active: false });
  await page.getByRole('switch', { name: 'Active', checked: false }).click();
  await page.getByRole('switch', { name: 'Active', checked: true }).waitFor();

  await button(page, 'Edit').click();
  await page.getByLabel('Name').fill('Counter');
  await page.getByLabel('Concurrent deliveries').fill('65');
  await button(page, 'Save').click();
  await page.getByText('Enter a whole number from 1 to 64.').waitFor();
  await page.getByLabel('Concurrent deliveries').fill('4');
  await button(page, 'Save').click();
  await page.getByRole('heading', { name: 'Counter' }).waitFor();
  expect(await stored()).toMatchObject({ name: 'Counter', concurrency: 4, active: true });

  await button(page, 'Delete webhook').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await button(page, 'Delete webhook').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByText('No webhooks yet').waitFor();
  await page.goto(`${server.url}/webhooks/${id}`);
  await page.getByText('This webhook does not exist').waitFor();
});

test('the list counts pending and failed deliveries live', async () => {
  const who = await server.user('watcher');
  const { id: source, send } = await echo(who, 'Orders');
  const there = await receiver();
  const id = await webhook(who, 'Desk', there.url, source);
  const page = await signedIn(browser, who, '/webhooks');
  const row = page.getByRole('row').filter({ hasText: 'Desk' });
  await row.getByText('Never').waitFor();
  await waitForTraffic(page);
  await send({ order: 1 });
  await row.getByText('Never').waitFor({ state: 'detached' });

  there.status = 500;
  await send({ order: 2 });
  // While it is retried, the same row links to the pending ones.
  await row.locator(`a[href="/deliveries?webhook=${id}&state=failed"]`, { hasText: '1' }).click();
  await page.waitForURL(`**/deliveries?webhook=${id}&state=failed`);
  await page.getByRole('row').filter({ hasText: 'Failed' }).waitFor();
});

test('webhooks further down the list are found by name or URL', async () => {
  const who = await server.user('crowded');
  const make = (body: object) => who.post('/webhooks', body);
  await make({ url: 'https://needle.example/one', name: 'Pin' });
  await make({ url: 'https://other.example/two', name: 'Needle' });
  await Promise.all(Array.from({ length: 60 }, (_, n) => make({ url: `https://hay.example/${n}` })));
  const page = await signedIn(browser, who, '/webhooks');
  await page.getByText('62 webhooks').waitFor();
  const search = page.getByLabel('Search by name or URL');
  await search.fill('NEEDLE');
  await page.getByText('2 webhooks').waitFor();
  await page.getByRole('link', { name: 'Pin' }).waitFor();
  await page.getByRole('link', { name: 'Needle' }).waitFor();
  expect(await page.getByText('hay.example').count()).toBe(0);
  await search.fill('');
  await page.getByText('62 webhooks').waitFor();
  expect(await search.evaluate((field) => field === document.activeElement)).toBe(true);
});

test('a range of failed deliveries is replayed, and the count is shown', async () => {
  const who = await server.user('replayer');
  const { id: source, send } = await echo(who, 'Orders');
  const there = await receiver();
  there.status = 503;
  const id = await webhook(who, 'Desk', there.url, source);
  // Five failures in a row would open the circuit breaker.
  for (const order of [1, 2]) await send({ order });
  type Counted = { page_info: { total_count: number } };
  const failed = () => who.get<Counted>(`/webhooks/${id}/deliveries?state=failed&limit=1`);
  await expect.poll(async () => (await failed()).page_info.total_count, PATIENCE).toBe(2);
  const page = await signedIn(browser, who, `/webhooks/${id}`);
  await page.getByRole('link', { name: 'Failed 2' }).click();
  await expect.poll(() => rowsWithStatus(page, 503).count(), PATIENCE).toBe(2);

  there.status = 200;
  await waitForTraffic(page);
  await button(page, 'Replay deliveries').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2 matching deliveries').waitFor();
  // There are no deliveries in a range of the past.
  await dialog.getByLabel('Created').selectOption('between');
  await dialog.getByLabel('From').fill('2001-01-01T00:00:00');
  await dialog.getByLabel('Until').fill('2001-01-02T00:00:00');
  await dialog.getByText('No matching deliveries.').waitFor();
  await dialog.getByLabel('Until').fill('2101-01-02T00:00:00');
  await dialog.getByRole('button', { name: 'Replay 2 deliveries' }).click();
  await expectToast(page, '2 deliveries queued');
  await page.getByRole('link', { name: 'Delivered 2' }).click();
  await expect.poll(() => rowsWithStatus(page, 200).count(), PATIENCE).toBe(2);
});

test('the webhook pages have no serious accessibility violations in light and dark, and fit a narrow screen', async () => {
  const who = await server.user('looker');
  const { id: source, send } = await echo(who, 'Orders');
  const there = await receiver();
  const id = await webhook(who, 'A name that is so long that it fits no line of a phone', there.url, source);
  await webhook(who, '', 'http://127.0.0.1:9/an/address/without/a/name/that/goes/on/and/on/and/on');
  await send({ order: 1 });
  const page = await signedIn(browser, who, '/webhooks');
  await page.getByRole('row').nth(2).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.goto(`${server.url}/webhooks?action=create`);
  await page.getByLabel('URL').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.goto(`${server.url}/webhooks/${id}`);
  await page.getByRole('row').filter({ hasText: 'Delivered' }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  for (const path of ['/webhooks', `/webhooks/${id}`]) {
    await page.goto(`${server.url}${path}`);
    await page.getByText('A name that is so long').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  }
});
