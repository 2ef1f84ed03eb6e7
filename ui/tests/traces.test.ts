import { afterAll, expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { Emitter } from './harness/emitter';
import { echo, Receiver, webhook } from './harness/receiver';
import type { Person } from './harness/server';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, step } from './harness/workflows';

stage();

const receivers: Receiver[] = [];
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.stop()));
});

/** A source, and a webhook and a workflow that listen to it. Sends a request, and returns its id. */
async function request(who: Person) {
  const receiver = await Receiver.start();
  receivers.push(receiver);
  const source = await echo(who, 'Orders');
  await webhook(who, 'Order desk', receiver.url, source.id);
  const ship = await deploy(who, documentOf('Ship', [step('pack', 'return "packed";')]));
  await who.post('/subscriptions', { emitter_id: source.id, listener_id: ship.id });
  await source.send({ order: 7 });
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(1);
  return { source, ship };
}

test('a request is a tree from the source to the delivery, which the keyboard operates', async () => {
  const who = await server.user('tracer');
  const { source, ship } = await request(who);
  const page = await signedIn(browser, who, `/sources/${source.id}`);
  const errors = pageErrors(page);
  await page.locator('[data-event]').first().click();
  await page.getByRole('link', { name: 'Trace' }).click();
  await page.getByRole('heading', { name: 'Trace' }).waitFor();
  const tree = page.getByRole('tree', { name: 'Parts of the trace' });
  const part = (name: RegExp) => tree.getByRole('treeitem', { name });
  await part(/^Trigger HTTP request/).waitFor();
  await part(/^Source Orders succeeded/).waitFor();
  await part(/^Delivery Order desk succeeded/).waitFor();
  await part(/^Attempt HTTP 200/).waitFor();
  await part(/^Workflow Ship succeeded/).waitFor();
  await part(/^Step pack succeeded/).waitFor();
  expect(await part(/^Event/).getAttribute('aria-selected')).toBe('true');
  expect(await violationsInBothSchemes(page)).toEqual([]);

  await part(/^Event/).focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => tree.getByRole('treeitem').count()).toBe(3);
  await page.keyboard.press('ArrowRight');
  await part(/^Step pack/).waitFor();
  await page.keyboard.press('Home');
  expect(await part(/^Trigger/).evaluate((item) => item === document.activeElement)).toBe(true);
  await part(/^Workflow Ship/).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/workflows/${ship.id}/runs/*`);
  await page.getByRole('link', { name: 'Trace' }).click();
  await part(/^Delivery Order desk/).waitFor();
  expect(await part(/^Workflow Ship/).getAttribute('aria-selected')).toBe('true');
  expect(errors).toEqual([]);
});

test('replays are below their original, and are marked', async () => {
  const who = await server.user('again');
  const { source, ship } = await request(who);
  const { data: events } = (await who.get(`/sources/${source.id}/event_summaries`)) as { data: { id: string }[] };
  const event = events[0]?.id ?? '';
  await who.post(`/sources/${source.id}/events/replay`, { event_id: event });
  const page = await signedIn(browser, who, `/traces/${event}?emitter=${source.id}`);
  const part = (name: RegExp) => page.getByRole('treeitem', { name });
  await part(/^Delivery Order desk Replay/).waitFor();
  await part(/^Workflow Ship Replay/).waitFor();
  expect(await part(/^Delivery Order desk succeeded/).count()).toBe(1);
  expect(await part(/^Workflow Ship/).count()).toBe(2);
  expect(ship.id).toMatch(/^p_/);
});

test('the palette takes an id, and an unknown one is explained', async () => {
  const who = await server.user('paster');
  await request(who);
  const deliveries = (await who.get('/deliveries')) as { data: { id: string }[] };
  const delivery = deliveries.data[0]?.id ?? '';
  const page = await signedIn(browser, who, '/');
  await page.getByRole('navigation', { name: 'Console' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search by name, or paste an ID').fill(delivery);
  await page.getByRole('option', { name: 'trace' }).click();
  await page.waitForURL(`**/traces/${delivery}`);
  await page.getByRole('treeitem', { name: /^Delivery Order desk/ }).waitFor();
  await page.goto(`${new URL(page.url()).origin}/traces/1606370816223-0`);
  await page.getByText('Nothing has this ID').waitFor();
});

test('deliveries and log lines lead to their trace', async () => {
  const who = await server.user('trace-links');
  await request(who);
  const logging = await Emitter.deploy(who, 'Logging');
  await logging.run({ lines: ['hello'] });
  const page = await signedIn(browser, who, '/deliveries');
  const part = (name: RegExp) => page.getByRole('treeitem', { name });
  await page.getByRole('table').getByRole('link').first().click();
  await page.getByRole('link', { name: 'Trace' }).click();
  await part(/^Delivery Order desk/).waitFor();
  expect(await part(/^Delivery Order desk/).getAttribute('aria-selected')).toBe('true');
  await page.goto(`${server.url}/sources/${logging.id}/logs`);
  await page.getByRole('log').getByRole('link', { name: 'Trace' }).first().click();
  await part(/^Source Logging/).waitFor();
  expect(await part(/^Source Logging/).getAttribute('aria-selected')).toBe('true');
});
