// Nothing jumps while a page streams. Rows make room for new ones by sliding, and new rows are held while the user reads.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signedIn } from './harness/browser';
import { Emitter } from './harness/emitter';
import { echo, Receiver, webhook } from './harness/receiver';
import { waitForTraffic } from './harness/recording';
import type { Json } from './harness/server';
import { expectStill } from './harness/shifts';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, reached, run, step } from './harness/workflows';

stage();

/** Waits until a page that was just opened is loaded: its queries, fonts and panels. */
async function settled(page: Page) {
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(1_500);
}

const newBar = (page: Page, text: RegExp) => page.getByRole('button', { name: text });

/** The distance of an element from the top of the window. */
const topOf = (element: Locator) => element.evaluate((node) => Math.round(node.getBoundingClientRect().top));

/** A point of an element without a row. */
async function emptyPointOf(element: Locator): Promise<[number, number]> {
  const box = await element.boundingBox();
  if (!box) throw new Error('no box');
  return [box.x + box.width / 2, box.y + box.height - 20];
}

/** Events with summaries, such as "Order 3". */
const events = (word: string, from: number, count: number) =>
  Array.from({ length: count }, (_, n): [unknown, Json] => [{ n: from + n }, { summary: `${word} ${from + n}` }]);

test('events of a source', async () => {
  const who = await server.user('still-events');
  const source = await Emitter.deploy(who, 'Orders');
  await source.emit(...events('Early', 0, 40));
  const page = await signedIn(browser, who, `/sources/${source.id}`);
  const early = page.getByRole('link', { name: 'Early 39' });
  await early.waitFor();
  await settled(page);
  const order = (n: number) => page.getByRole('link', { name: `Order ${n}`, exact: false }).first();
  await expectStill(page, async () => {
    for (let n = 0; n < 40; n += 4) await source.run({ emits: events('Order', n, 4) });
    await order(39).waitFor();
  });
  // While the pointer is over the list, new events are held.
  await expectStill(page, async () => {
    const first = order(39);
    await first.hover();
    await expect.poll(() => page.locator('[data-scroll]').evaluate(({ scrollTop }) => scrollTop)).toBe(0);
    const top = await topOf(first);
    await source.run({ emits: events('Held', 0, 3) });
    await newBar(page, /^3 new events$/).waitFor();
    expect(await topOf(first)).toBe(top);
  });
  // The number is announced at most every ten seconds.
  await page.getByRole('status').filter({ hasText: '3 new events' }).waitFor({ state: 'attached' });
  await newBar(page, /^3 new events$/).click();
  await page.getByRole('link', { name: 'Held 2' }).waitFor();
  expect(await newBar(page, /new event/).count()).toBe(0);
});

test('events are held for the keyboard, and on a scrolled list', async () => {
  const who = await server.user('still-keyboard');
  const source = await Emitter.deploy(who, 'Orders');
  await source.emit(...events('Early', 0, 40));
  const page = await signedIn(browser, who, `/sources/${source.id}`);
  await page.getByRole('link', { name: 'Early 39' }).waitFor();
  await settled(page);
  await page.keyboard.press('Tab');
  await page.getByRole('link', { name: 'Early 39' }).focus();
  await expectStill(page, async () => {
    await source.run({ emits: events('Held', 0, 2) });
    await newBar(page, /^2 new events$/).waitFor();
  });
  await newBar(page, /^2 new events$/).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Held 1' }).waitFor();
  const list = page.locator('[data-scroll]');
  await list.hover();
  await page.mouse.wheel(0, 300);
  await page.getByRole('link', { name: 'Configuration' }).first().focus();
  await page.mouse.move(0, 0);
  await expectStill(page, async () => {
    await source.run({ emits: events('Later', 0, 5) });
    await newBar(page, /^5 new events$/).waitFor();
  });
  // The head is live.
  await list.evaluate((element) => element.scrollTo(0, 0));
  await page.getByRole('link', { name: 'Later 4' }).waitFor();
});

test('a list that the browser scrolled stays there, also after events arrived', async () => {
  const who = await server.user('still-found');
  const source = await Emitter.deploy(who, 'Orders');
  await source.emit(...events('Early', 0, 60));
  const page = await signedIn(browser, who, `/sources/${source.id}`);
  await page.getByRole('link', { name: 'Early 59' }).waitFor();
  await settled(page);
  await source.run({ emits: events('Order', 0, 2) });
  await page.getByRole('link', { name: 'Order 1' }).waitFor();
  await page.waitForTimeout(1_000);
  // A search of the browser and assistive technology scroll without input.
  const list = page.locator('[data-scroll]');
  await list.evaluate((element) => element.scrollTo(0, 400));
  await page.waitForTimeout(1_000);
  // Rows that were measured on the way may have moved it.
  const top = await list.evaluate(({ scrollTop }) => scrollTop);
  expect(top).toBeGreaterThan(300);
  await source.run({ emits: events('Later', 0, 3) });
  await newBar(page, /^3 new events$/).waitFor();
  expect(await list.evaluate(({ scrollTop }) => scrollTop)).toBe(top);
});

test('a log keeps the focus while lines rush in', async () => {
  const who = await server.user('still-rush');
  const source = await Emitter.deploy(who, 'Orders');
  for (let index = 0; index < 5; index += 1) await source.run({ lines: [`early ${index}`] });
  const page = await signedIn(browser, who, `/sources/${source.id}/logs`);
  const log = page.getByRole('log');
  await page.getByText('early 4').waitFor();
  await settled(page);
  const node = await log.elementHandle();
  // A click gives the focus to the list. It stays live when the pointer leaves.
  await page.mouse.click(...(await emptyPointOf(log)));
  expect(await log.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.mouse.move(0, 0);
  await source.run({ lines: Array.from({ length: 30 }, (_, index) => `line ${index}`) });
  await source.run({ lines: Array.from({ length: 30 }, (_, index) => `more ${index}`) });
  await page.getByText('more 29').waitFor();
  expect(await log.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await log.evaluate((element, before) => element === before, node)).toBe(true);
});

test('logs of a source', async () => {
  const who = await server.user('still-logs');
  const source = await Emitter.deploy(who, 'Orders');
  for (let index = 0; index < 20; index += 1) await source.run({ lines: [`early ${index}`] });
  const page = await signedIn(browser, who, `/sources/${source.id}/logs`);
  await page.getByText('early 19').waitFor();
  await settled(page);
  await expectStill(page, async () => {
    for (let index = 0; index < 20; index += 1) await source.run({ lines: [`line ${index}`, `more\nlines ${index}`] });
    await page.getByText('lines 19').waitFor();
  });
  await expectStill(page, async () => {
    await page.getByText('lines 19').hover();
    await source.run({ lines: ['one', 'two'] });
    await newBar(page, /^2 new lines$/).waitFor();
  });
});

test('runs of a workflow, and their results on the cards of the editor', async () => {
  const who = await server.user('still-runs');
  const { id } = await deploy(who, documentOf('Still', [step('a', 'return 1;'), step('b', 'return 2;')]));
  const runs = async (count: number) => {
    let last = '';
    for (let index = 0; index < count; index += 1) last = await run(who, id);
    await reached(who, id, last, 'succeeded');
    return last;
  };
  await runs(2);
  const page = await signedIn(browser, who, `/workflows/${id}`);
  const succeeded = page.getByRole('table').getByText('Succeeded');
  await succeeded.nth(1).waitFor();
  await settled(page);
  const row = (run: string) => page.locator(`a[href$="/runs/${run}"]`);
  await expectStill(page, async () => {
    await row(await runs(6)).waitFor();
    await row(await runs(6)).waitFor();
    await expect.poll(() => succeeded.count()).toBe(14);
  });
  await expectStill(page, async () => {
    await page.getByRole('row').nth(1).hover();
    await runs(2);
    await newBar(page, /^2 new runs$/).waitFor();
  });
  await newBar(page, /^2 new runs$/).click();
  await expect.poll(() => succeeded.count()).toBe(16);
  await page.goto(`${server.url}/workflows/${id}/document`);
  await page.getByText('completed').first().waitFor();
  await settled(page);
  await expectStill(page, () => runs(5));
});

test('deliveries', async () => {
  const who = await server.user('still-deliveries');
  const receiver = await Receiver.start();
  const { id, send } = await echo(who, 'Orders');
  await webhook(who, 'Shop', receiver.url, id);
  const page = await signedIn(browser, who, '/deliveries');
  await waitForTraffic(page);
  await send({ first: true });
  const rows = page.getByRole('row').filter({ has: page.getByRole('link') });
  await expect.poll(() => rows.count()).toBe(1);
  await settled(page);
  const arrive = async (count: number) => {
    for (let index = 0; index < count; index += 1) await send({ index });
  };
  await expectStill(page, async () => {
    await arrive(10);
    await expect.poll(() => rows.count()).toBe(11);
    await arrive(20);
    await page.getByText('1–25 of 31').waitFor();
  });
  await expectStill(page, async () => {
    const first = rows.first();
    const text = await first.getByRole('link').first().getAttribute('href');
    await first.hover();
    await arrive(3);
    await newBar(page, /^3 new deliveries$/).waitFor();
    expect(await first.getByRole('link').first().getAttribute('href')).toBe(text);
  });
  await newBar(page, /^3 new deliveries$/).click();
  await expect.poll(() => newBar(page, /new deliver/).count()).toBe(0);
  await receiver.stop();
});

test('deliveries that leave a filtered list, and the first run of an empty one', async () => {
  const who = await server.user('still-filtered');
  const receiver = await Receiver.start();
  receiver.status = 503;
  const { id, send } = await echo(who, 'Orders');
  await webhook(who, 'Shop', receiver.url, id);
  await send({ n: 1 });
  const page = await signedIn(browser, who, '/deliveries?state=failed');
  const rows = page.getByRole('row').filter({ has: page.getByRole('link') });
  await expect.poll(() => rows.count()).toBe(1);
  await waitForTraffic(page);
  await rows.first().hover();
  receiver.status = 200;
  const [failed] = (await who.get<{ data: { id: string }[] }>('/deliveries')).data;
  await who.post(`/deliveries/${failed?.id}/replay`);
  // It is delivered, so it does not match any more.
  await newBar(page, /^List changed$/).waitFor();
  expect(await rows.count()).toBe(1);
  await newBar(page, /^List changed$/).click();
  await page.getByText('No matching deliveries').waitFor();
  await receiver.stop();

  const workflow = await deploy(who, documentOf('First', [step('a', 'return 1;')]));
  await page.goto(`${server.url}/workflows/${workflow.id}`);
  await page.getByText('No runs yet').hover();
  await page.mouse.move(640, 500);
  await run(who, workflow.id);
  await page.getByRole('table').waitFor();
  expect(await newBar(page, /new run/).count()).toBe(0);
});

test('the audit log', async () => {
  const who = await server.user('still-audit');
  const change = (n: number) => webhook(who, `Shop ${n}`, 'https://example.com/in');
  for (let n = 0; n < 12; n += 1) await change(n);
  const page = await signedIn(browser, who, '/audit');
  const row = (n: number) => page.getByRole('row').filter({ hasText: `Shop ${n}` });
  await row(11).waitFor();
  await settled(page);
  await expectStill(page, async () => {
    for (let n = 12; n < 15; n += 1) await change(n);
    await row(14).waitFor();
  });
  await expectStill(page, async () => {
    await row(14).hover();
    const top = await topOf(row(14));
    for (let n = 15; n < 17; n += 1) await change(n);
    await newBar(page, /^2 new entries$/).waitFor();
    expect(await topOf(row(14))).toBe(top);
  });
  await newBar(page, /^2 new entries$/).click();
  await row(16).waitFor();
});

test('the activity of agents, with older entries loaded meanwhile', async () => {
  const who = await server.user('still-agents');
  type Key = { data: { id: string; api_key: string } };
  const { id, api_key } = (await who.post<Key>('/users/me/keys', { name: 'assistant', scopes: ['deploy'] })).data;
  const change = (n: number) =>
    server.call('POST', '/webhooks', { name: `Shop ${n}`, url: 'https://example.com/in' }, api_key);
  for (let n = 100; n < 160; n += 1) await change(n);
  const page = await signedIn(browser, who, `/agents?key=${id}`);
  const rows = page.getByRole('region', { name: 'Activity' }).locator('tbody tr');
  const row = (n: number) => rows.filter({ hasText: `Shop ${n}` });
  await expect.poll(() => rows.count()).toBe(50);
  await settled(page);
  await expectStill(page, async () => {
    await change(160);
    await row(160).waitFor();
  });
  await expectStill(page, async () => {
    await row(160).hover();
    const top = await topOf(row(160));
    for (let n = 161; n < 163; n += 1) await change(n);
    await newBar(page, /^2 new entries$/).waitFor();
    expect(await topOf(row(160))).toBe(top);
  });
  await page.mouse.wheel(0, 10_000);
  // The first page ends above the rows that the new ones moved.
  await expect.poll(() => rows.count()).toBe(61);
  await row(100).waitFor();
  await newBar(page, /^2 new entries$/).click();
  await expect.poll(() => rows.count()).toBe(63);
});

test('the overview', async () => {
  const who = await server.user('still-overview');
  const [one, other] = [await Emitter.deploy(who, 'Orders'), await Emitter.deploy(who, 'Parcels')];
  await one.emit(...events('Early', 0, 3));
  await other.emit(...events('Early', 0, 2));
  const page = await signedIn(browser, who);
  await page.locator('.u-over').waitFor();
  await waitForTraffic(page);
  const busiest = page.getByRole('region', { name: 'Busiest' }).getByRole('listitem');
  await expect.poll(() => busiest.count()).toBe(2);
  await settled(page);
  await expectStill(page, async () => {
    // The numbers get more digits, and the sources change places.
    await other.run({ emits: events('Many', 0, 120) });
    await expect.poll(() => busiest.first().textContent()).toContain('Parcels');
    await one.run({ emits: events('Many', 0, 150) });
    await expect.poll(() => busiest.first().textContent()).toContain('Orders');
  });
});
