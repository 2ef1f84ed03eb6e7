import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { animationsEnded, seriousViolations } from './harness/accessibility';
import { open, pageErrors, signedIn, takeSession } from './harness/browser';
import { COMPANY_FLAGS, company } from './harness/company';
import { PAGES } from './harness/company/pages';
import type { Company } from './harness/company/types';
import { browser, ownStage, server } from './harness/stage';

ownStage(...COMPANY_FLAGS);

let shop: Company;
beforeAll(async () => {
  shop = await company(server);
}, 180_000);
afterAll(async () => {
  await shop?.close();
});

/** Waits until the page is loaded and animations have ended. */
async function settled(page: Page) {
  await page.locator('main h1').first().waitFor();
  await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
  await animationsEnded(page);
}

const looks = {
  light: (page: Page) => page.emulateMedia({ colorScheme: 'light' }),
  dark: (page: Page) => page.emulateMedia({ colorScheme: 'dark' }),
  narrow: (page: Page) => page.setViewportSize({ width: 390, height: 844 }),
};

async function sideways(page: Page): Promise<string[]> {
  const { wide, seen } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    seen: document.documentElement.clientWidth,
  }));
  return wide > seen ? [`it is ${wide} px wide in a window of ${seen}`] : [];
}

test.each(Object.entries(PAGES))(
  '%s has no serious accessibility violations, no errors, and does not scroll horizontally',
  async (_, path) => {
    const page = await open(browser);
    await takeSession(page.context(), server, shop.person.key);
    const errors = pageErrors(page);
    await page.goto(`${server.url}${path(shop)}`);
    const found: Record<string, string[]> = {};
    for (const [name, look] of Object.entries(looks)) {
      await look(page);
      await settled(page);
      found[name] = [...(await sideways(page)), ...(await seriousViolations(page))];
    }
    expect({ ...found, errors }).toEqual({ light: [], dark: [], narrow: [], errors: [] });
    await page.context().close();
  },
);

test('signing in, finding a source and reading its newest event works with the keyboard', async () => {
  const page = await open(browser);
  await page.goto(server.url);
  await page.getByLabel('API key').waitFor();
  await page.keyboard.type(shop.person.key);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Console' }).waitFor();

  await page.keyboard.press('Control+k');
  await expect
    .poll(() =>
      page.getByPlaceholder('Search by name, or paste an ID').evaluate((field) => field === document.activeElement),
    )
    .toBe(true);
  await page.keyboard.type('orders from');
  await page.getByRole('option', { name: /Orders from the shop/, selected: true }).waitFor();
  expect(await page.getByText('No results').count()).toBe(0);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/sources/${shop.sources['orders-from-the-shop']}`);

  const event = page.getByText('Order 20493: 2 lamps').first();
  await event.waitFor();
  await expect
    .poll(
      async () => {
        await page.keyboard.press('Tab');
        return page.evaluate(() => document.activeElement?.closest('a[data-event]')?.textContent ?? '');
      },
      { timeout: 20_000, interval: 20 },
    )
    .toContain('Order 20493');
  await page.keyboard.press('Enter');
  await page.getByText('Leuchtturm').or(page.getByText('customer')).first().waitFor();
});

test('navigation moves the focus and is announced; changes within a page do neither', async () => {
  const page = await signedIn(browser, shop.person, '/settings');
  const sidebar = page.getByRole('navigation', { name: 'Console' });
  const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.tagName);
  const announced = (title: string) =>
    page.getByRole('status').getByText(title, { exact: true }).waitFor({ state: 'attached' });
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await announced('Settings · Sluice');
  expect(await focused()).toBe('BODY');

  await sidebar.getByRole('link', { name: 'Sources' }).focus();
  await page.keyboard.press('Enter');
  await announced('Sources · Sluice');
  await expect.poll(focused).toBe('main');
  expect(await page.locator('main').evaluate((main) => getComputedStyle(main).outlineStyle)).toBe('none');

  const search = page.getByLabel('Search by name or slug');
  await search.pressSequentially('orders');
  await expect.poll(() => page.url()).toContain('q=orders');
  await page.getByText('1 source', { exact: true }).waitFor();
  expect(await search.evaluate((field) => field === document.activeElement)).toBe(true);

  await page.getByRole('main').getByRole('link', { name: 'Orders from the shop' }).click();
  await announced('Orders from the shop · Sluice');
  await expect.poll(focused).toBe('main');
  const logs = page.getByRole('navigation', { name: 'Source views' }).getByRole('link', { name: 'Logs' });
  await logs.focus();
  await page.keyboard.press('Enter');
  await announced('Orders from the shop · Logs · Sluice');
  expect(await logs.evaluate((link) => link === document.activeElement)).toBe(true);

  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search by name, or paste an ID').fill('new webhook');
  await page.getByRole('option', { name: 'New webhook', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  const url = page.getByLabel('URL');
  await expect.poll(() => url.evaluate((field) => field === document.activeElement)).toBe(true);
  await announced('Webhooks · Sluice');
  expect(await url.evaluate((field) => field === document.activeElement)).toBe(true);
});

test('a page that fits the window does not scroll', async () => {
  const page = await signedIn(browser, shop.person, '/users');
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
  const longer = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
  await expect.poll(longer).toBe(0);
});

test('a link clicked with a modifier opens in a new tab, and the page stays', async () => {
  const page = await signedIn(browser, shop.person, '/settings');
  const link = page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Sources' });
  const [other] = await Promise.all([
    page.context().waitForEvent('page'),
    link.click({ modifiers: ['ControlOrMeta'] }),
  ]);
  await other.getByRole('heading', { name: 'Sources', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/settings');
});

test('on a narrow screen the focus moves into the menu and back', async () => {
  const page = await signedIn(browser, shop.person, '/settings', { width: 390, height: 844 });
  const menu = page.getByRole('button', { name: 'Menu', exact: true });
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
  await menu.focus();
  await page.keyboard.press('Enter');
  await expect.poll(focused).toBe('Overview');
  await page.keyboard.press('Escape');
  await expect.poll(() => menu.evaluate((button) => button === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await expect.poll(focused).toBe('Overview');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sources', level: 1 }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
});
