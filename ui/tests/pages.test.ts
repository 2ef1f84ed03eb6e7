import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousFaults } from './harness/accessibility';
import { complaints, type Look, launch, open, signedIn } from './harness/browser';
import { COMPANY_FLAGS, type Company, company } from './harness/company';
import { companyPages } from './harness/company/pages';
import { Server } from './harness/server';

let server: Server;
let browser: Browser;
let shop: Company;
beforeAll(async () => {
  [server, browser] = await Promise.all([Server.start(...COMPANY_FLAGS), launch()]);
  shop = await company(server);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await shop?.close();
  await server?.stop();
});

/** Until the page has drawn what it asked for. */
async function settled(page: Page) {
  await page.locator('main h1').first().waitFor();
  await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
}

/** Goes through all pages in one window, as people do, and tells what is wrong with any. */
async function walk(look: Look, faults: (page: Page) => Promise<string[]>): Promise<string[]> {
  const found: string[] = [];
  const page = await signedIn(browser, shop.person, '/welcome', look);
  const heard = complaints(page);
  for (const { name, path } of await companyPages(shop)) {
    await page.goto(`${server.url}${path}`);
    await settled(page);
    const wrong = [...(await faults(page)), ...heard.splice(0)];
    found.push(...wrong.map((words) => `${name}: ${words}`));
  }
  await page.context().close();
  return found;
}

const axe = (page: Page) => seriousFaults(page);

async function scrolls(page: Page): Promise<string[]> {
  const { wide, seen } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    seen: document.documentElement.clientWidth,
  }));
  return wide > seen ? [`the page is ${wide} px wide in a window of ${seen}`] : [];
}

test('no page has a serious fault for people with screen readers, in light colours', { timeout: 180_000 }, async () => {
  expect(await walk({ colorScheme: 'light' }, axe)).toEqual([]);
});

test('nor in dark colours', { timeout: 180_000 }, async () => {
  expect(await walk({ colorScheme: 'dark' }, axe)).toEqual([]);
});

test('on a narrow screen no page scrolls sideways, and none has a serious fault', { timeout: 180_000 }, async () => {
  const both = async (page: Page) => [...(await scrolls(page)), ...(await axe(page))];
  expect(await walk({ width: 390, height: 844 }, both)).toEqual([]);
});

test('with the keyboard alone, somebody signs in, finds a source and reads its newest event', async () => {
  const page = await open(browser);
  await page.goto(server.url);
  await page.keyboard.type(shop.person.key);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Console' }).waitFor();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('orders from');
  await page.getByRole('option', { name: /Orders from the shop/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/sources/${shop.sources['orders-from-the-shop']}`);

  const event = page.getByText('Order 20493: 2 lamps').first();
  await event.waitFor();
  await expect
    .poll(
      async () => {
        await page.keyboard.press('Tab');
        return page.evaluate(() => document.activeElement?.textContent ?? '');
      },
      { timeout: 20_000, interval: 20 },
    )
    .toContain('Order 20493');
  await page.keyboard.press('Enter');
  await page.getByText('Leuchtturm').or(page.getByText('customer')).first().waitFor();
});
