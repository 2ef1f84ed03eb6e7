import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, rowsWithStatus, signedIn } from './harness/browser';
import { echo, Receiver, webhook } from './harness/receiver';
import { expectToast, waitForTraffic } from './harness/recording';
import { type Person, Server } from './harness/server';
import { browser, server, stage } from './harness/stage';

stage();

const PATIENCE = { timeout: 20_000 };
const receivers: Receiver[] = [];
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.stop()));
});

async function desk(who: Person) {
  const receiver = await Receiver.start();
  receivers.push(receiver);
  const source = await echo(who, 'Orders');
  const id = await webhook(who, 'Order desk', receiver.url, source.id);
  return { receiver, source, id };
}

const rows = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

test('a failing delivery shows status, latency and response, and is delivered by a retry', async () => {
  const who = await server.user('retrier');
  const { receiver, source } = await desk(who);
  receiver.status = 500;
  receiver.response = 'the <b>desk</b> is closed';
  const page = await signedIn(browser, who, '/deliveries');
  const errors = pageErrors(page);
  await page.getByText('No deliveries yet').waitFor();

  // It appears and fails without user input.
  await waitForTraffic(page);
  await source.send({ order: 7 });
  const failed = rows(page, 'Failed');
  await failed.waitFor();
  await failed.getByText('500', { exact: true }).waitFor();
  await failed.getByText(/\d+ ms/).waitFor();
  await failed.getByRole('link', { name: 'Orders' }).waitFor();
  await failed.getByRole('link', { name: 'Order desk' }).waitFor();

  await failed.getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Delivery to Order desk' }).waitFor();
  await page.getByText('Failed after 2 attempts').waitFor();
  await expect.poll(() => page.getByText('the <b>desk</b> is closed').count(), PATIENCE).toBe(2);
  await expect.poll(() => rowsWithStatus(page, 500).count(), PATIENCE).toBe(2);
  await page.getByText('"order"').waitFor();

  receiver.status = 202;
  receiver.response = 'taken';
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await page.getByText('Delivered after 3 attempts').waitFor();
  await rowsWithStatus(page, 202).getByText('taken').waitFor();
  expect(receiver.received).toHaveLength(3);
  expect(errors).toEqual([]);
});

test('a delivery is retried from its row, which updates live', async () => {
  const who = await server.user('impatient');
  const { receiver, source } = await desk(who);
  receiver.status = 500;
  await source.send({ order: 1 });
  const page = await signedIn(browser, who, '/deliveries');
  await rows(page, 'Failed').waitFor();
  receiver.status = 200;
  await rows(page, 'Failed').getByRole('button').click();
  await expectToast(page, 'Delivered: 200');
  await rows(page, 'Delivered').waitFor();
});

test('a retry to an inactive webhook shows an error', async () => {
  const who = await server.user('off');
  const { receiver, source, id } = await desk(who);
  receiver.status = 500;
  await source.send({ order: 1 });
  const page = await signedIn(browser, who, '/deliveries');
  await rows(page, 'Failed').waitFor();
  await who.put(`/webhooks/${id}`, { active: false });
  await rows(page, 'Failed').getByRole('button').click();
  await expectToast(page, 'The webhook is inactive');
});

test('a connection error shows its reason, and a long response is truncated', async () => {
  const who = await server.user('unreached');
  const { receiver, source } = await desk(who);
  await webhook(who, 'Nobody', 'http://127.0.0.1:9/', source.id);
  receiver.status = 500;
  receiver.response = `it begins ${'and goes on '.repeat(200)}`;
  await source.send({ order: 1 });
  const page = await signedIn(browser, who, '/deliveries');
  await rows(page, 'Nobody')
    .filter({ hasText: 'Failed' })
    .getByText(/refused/i)
    .waitFor();
  const failed = rows(page, 'Order desk').filter({ hasText: 'Failed' });
  await failed.getByRole('link').first().click();
  await page.waitForURL('**/deliveries/dlv_*');
  await page
    .getByText(/^it begins and goes on/)
    .first()
    .waitFor();
  await page.getByText('Only the beginning of the response is stored.').first().waitFor();
});

test('a missing delivery shows a not-found page', async () => {
  const page = await signedIn(browser, await server.user('lost'), '/deliveries/dlv_nothing');
  await page.getByText('This delivery does not exist').waitFor();
  await page.getByRole('link', { name: 'All deliveries' }).click();
  await page.getByText('No deliveries yet').waitFor();
});

test('a retrying delivery counts down to its next attempt', async () => {
  const patient = await Server.start('--webhook-retries', '2h');
  try {
    const who = await patient.user('waiting');
    const { receiver, source } = await desk(who);
    receiver.status = 500;
    await source.send({ order: 1 });
    const page = await signedIn(browser, who, '/deliveries');
    await rows(page, 'Retrying')
      .getByText(/in (2 h|1 h 59)/)
      .waitFor();
    receiver.status = 200;
    await rows(page, 'Retrying').getByRole('button').click();
    await rows(page, 'Delivered').waitFor();
  } finally {
    await patient.stop();
  }
});

test('state, webhook and time filters are in the URL, and the back button reverts them', async () => {
  const who = await server.user('filterer');
  const { receiver, source } = await desk(who);
  const second = await webhook(who, 'Archive', receiver.url, source.id);
  await source.send({ order: 1 });
  const page = await signedIn(browser, who, '/deliveries');
  await expect.poll(() => rows(page, 'Delivered').count(), PATIENCE).toBe(2);

  await page.getByLabel('Webhook', { exact: true }).selectOption('Archive');
  await page.waitForURL(`**/deliveries?webhook=${second}`);
  await expect.poll(() => rows(page, 'Delivered').count(), PATIENCE).toBe(1);
  await page.getByRole('link', { name: 'Failed 0' }).click();
  await page.getByText('No matching deliveries').waitFor();
  await page.goBack();
  await rows(page, 'Archive').waitFor();

  await page.getByLabel('Created').selectOption('between');
  await page.getByLabel('Until').fill('2001-01-01T00:00:00');
  await page.keyboard.press('Tab');
  await page.getByText('No matching deliveries').waitFor();
  expect(page.url()).toContain('range=between');
  await page.getByRole('link', { name: 'Show all' }).click();
  await expect.poll(() => rows(page, 'Delivered').count(), PATIENCE).toBe(2);

  await page.goto(`${server.url}/deliveries?state=delivered&range=1h&webhook=${second}`);
  await expect.poll(() => rows(page, 'Delivered').count(), PATIENCE).toBe(1);
});

test('older deliveries are on further pages', async () => {
  const who = await server.user('reader');
  const { source } = await desk(who);
  for (let order = 0; order < 30; order += 1) await source.send({ order });
  const page = await signedIn(browser, who, '/deliveries');
  await page.getByRole('link', { name: 'Delivered 30' }).waitFor();
  const body = page.locator('tbody tr');
  await expect.poll(() => body.count(), PATIENCE).toBe(25);
  await page.getByRole('button', { name: 'Older' }).click();
  await expect.poll(() => body.count(), PATIENCE).toBe(5);
  await page.getByText('26–30 of 30').waitFor();
  await page.getByRole('button', { name: 'Newer' }).click();
  await expect.poll(() => body.count(), PATIENCE).toBe(25);
  await page.goBack();
  await expect.poll(() => body.count(), PATIENCE).toBe(5);
});

test('the delivery pages have no serious accessibility violations in light and dark, and fit a narrow screen', async () => {
  const who = await server.user('looker');
  const { receiver, source } = await desk(who);
  receiver.status = 500;
  await source.send({ order: 1, text: 'x'.repeat(2_000) });
  let id = '';
  await expect
    .poll(async () => {
      const { data } = await who.get<{ data: { id: string; state: string }[] }>('/deliveries');
      id = data[0]?.id ?? '';
      return data[0]?.state;
    }, PATIENCE)
    .toBe('failed');
  const page = await signedIn(browser, who, '/deliveries');
  await rows(page, 'Failed').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.goto(`${server.url}/deliveries/${id}`);
  await page.getByText('Failed after').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);

  await page.setViewportSize({ width: 390, height: 800 });
  await page.reload();
  await page.getByText('Failed after').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.goto(`${server.url}/deliveries`);
  await rows(page, 'Failed').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
