import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signedIn } from './harness/browser';
import { type Emit, Emitter } from './harness/emitter';
import { browser, server, stage } from './harness/stage';

stage();

const top = (page: Page) => page.evaluate(() => Math.round(document.documentElement.scrollTop));

test('Back and Forward restore the scroll position, and a new page starts at its top', async () => {
  const who = await server.user('scroller');
  const make = (number: number) => who.post('/webhooks', { url: 'http://127.0.0.1:9/x', name: `Hook ${number}` });
  // The older ones are further down.
  await Promise.all(Array.from({ length: 11 }, (_, index) => make(index + 10)));
  await Promise.all(Array.from({ length: 29 }, (_, index) => make(index + 21)));
  const page = await signedIn(browser, who, '/webhooks', { height: 500 });
  const wanted = page.getByRole('main').getByRole('link', { name: 'Hook 20' });
  await wanted.scrollIntoViewIfNeeded();
  await expect.poll(() => top(page)).toBeGreaterThan(100);
  const left = await top(page);
  await wanted.click();
  await page.getByRole('heading', { name: 'Hook 20', level: 1 }).waitFor();
  expect(await top(page)).toBe(0);

  await page.goBack();
  await expect.poll(() => top(page)).toBe(left);
  // The list is loaded again, so its full height is delayed.
  await page.route('**/v1/webhooks?*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  await page.goForward();
  await page.getByRole('heading', { name: 'Hook 20', level: 1 }).waitFor();
  await page.goBack();
  await expect.poll(() => top(page)).toBe(left);

  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Webhooks' }).click();
  await expect.poll(() => top(page)).toBe(0);
});

test('the scroll position of a list is restored', async () => {
  const who = await server.user('lister');
  const source = await Emitter.deploy(who, 'Orders');
  await source.emit(...Array.from({ length: 80 }, (_, n): Emit => [n, { summary: `Order ${n}.` }]));
  const page = await signedIn(browser, who, `/sources/${source.id}`, { height: 600 });
  const list = page.locator('[data-scroll]');
  const offset = () => list.evaluate((element) => Math.round(element.scrollTop));
  await page.getByText('Order 79.').waitFor();
  await list.evaluate((element) => element.scrollTo({ top: 1_000 }));
  await expect.poll(offset).toBe(1_000);
  await expect.poll(() => page.getByText('Order 79.').count()).toBe(0);
  await page.getByRole('link', { name: 'Listeners' }).click();
  await page.getByText('No listeners yet').waitFor();
  await page.goBack();
  await expect.poll(offset).toBe(1_000);
});

test('a toast stays while it has the pointer or the focus, and Escape dismisses it', async () => {
  const who = await server.user('reader');
  const source = await Emitter.deploy(who, 'Orders');
  const page = await signedIn(browser, who, `/sources/${source.id}/listeners`);
  const message = page.getByText('Run started');
  const say = async () => {
    await page.getByRole('button', { name: 'Run now' }).click();
    await message.waitFor();
  };
  await page.getByText('No listeners yet').waitFor();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await say();
  await message.hover();
  await page.clock.runFor(60_000);
  expect(await message.count()).toBe(1);
  await page.getByRole('heading', { name: 'Orders', level: 1 }).hover();
  await page.clock.runFor(10_000);
  await message.waitFor({ state: 'detached' });

  await say();
  await page.getByRole('button', { name: 'Dismiss' }).focus();
  await page.clock.runFor(60_000);
  expect(await message.count()).toBe(1);
  await page.keyboard.press('Enter');
  await message.waitFor({ state: 'detached' });

  await say();
  await page.keyboard.press('Escape');
  await message.waitFor({ state: 'detached' });
});

test('six live windows all load and respond, and the focused one is live', async () => {
  const who = await server.user('watcher');
  const sources = await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const source = await Emitter.deploy(who, `Source ${index}`);
      await source.emit([index, { summary: 'The first' }]);
      return source;
    }),
  );
  const first = await signedIn(browser, who, '/settings');
  const pages: Page[] = [];
  for (const source of sources) {
    const page = await first.context().newPage();
    pages.push(page);
    await page.goto(`${server.url}/sources/${source.id}`);
    await page.getByText('The first').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
  }
  // Lists and figures use one shared stream.
  await first.goto(`${server.url}/sources`);
  await first.getByText('Live', { exact: true }).waitFor();
  const standby = () => Promise.all(pages.map((page) => page.getByText('Standby', { exact: true }).count()));
  await expect.poll(async () => (await standby()).filter((count) => count > 0).length).toBe(3);

  const idle = (await standby()).findIndex((count) => count > 0);
  const [page, source] = [pages[idle], sources[idle]];
  if (!page || !source) throw new Error('no window is on standby');
  await page.getByRole('link', { name: 'Listeners' }).click();
  await page.getByText('No listeners yet').waitFor();
  await page.goBack();
  await page.getByText('Live', { exact: true }).waitFor();
  const other = pages[(await standby()).findIndex((count) => count > 0)];
  if (!other) throw new Error('no window is on standby');
  await sources[pages.indexOf(other)]?.emit([2, { summary: 'What came meanwhile' }]);
  await other.evaluate(() => window.dispatchEvent(new Event('focus')));
  await other.getByText('What came meanwhile').waitFor();
  await expect.poll(async () => (await standby()).filter((count) => count > 0).length).toBe(3);
});

test('another window takes over the shared stream when its window is closed', async () => {
  const who = await server.user('heir');
  const source = await Emitter.deploy(who, 'Orders');
  const first = await signedIn(browser, who, '/');
  await first.getByText('Live', { exact: true }).waitFor();
  const second = await first.context().newPage();
  let streams = 0;
  second.on('request', (request) => {
    if (request.url().endsWith('/traffic')) streams += 1;
  });
  await second.goto(server.url);
  await second.getByText('Live', { exact: true }).waitFor();
  const counted = second.getByRole('link', { name: /^Events/ });
  await source.emit([1]);
  await expect.poll(() => counted.textContent()).toMatch(/^Events\s*1/);
  expect(streams).toBe(0);
  await first.close();
  await expect.poll(() => streams).toBe(1);
  await second.getByText('Live', { exact: true }).waitFor();
  await source.emit([2]);
  await expect.poll(() => counted.textContent()).toMatch(/^Events\s*2/);
});
