// Screenshots of all pages with the data of an example company. `make screenshots` writes them to docs/screenshots.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { type Look, signedIn } from './harness/browser';
import { COMPANY_FLAGS, company, past } from './harness/company';
import { PAGES } from './harness/company/pages';
import { order, send } from './harness/company/traffic';
import type { Company } from './harness/company/types';
import { card, testPanel } from './harness/outline';
import { browser, ownStage, server } from './harness/stage';

ownStage(...COMPANY_FLAGS);

const FOLDER = join(import.meta.dirname, '../../docs/screenshots');
const WIDE = { width: 1440, height: 900 };
const STEP = { width: 1280, height: 1600 };
const NARROW = { width: 390, height: 844 };
const ALSO_NARROW = ['overview', 'sources', 'source-events', 'run', 'flow'];

let shop: Company;
let business: ReturnType<typeof setInterval>;
beforeAll(async () => {
  shop = await company(server);
  await past(server, shop);
  await server.user('grace');
  // Traffic during the screenshots, for the live parts.
  let index = 100;
  business = setInterval(() => {
    index += 1;
    void send(shop, 'orders-from-the-shop', order(index));
  }, 700);
  await mkdir(FOLDER, { recursive: true });
}, 300_000);
afterAll(async () => {
  clearInterval(business);
  await shop?.close();
});

/** Waits until the page is loaded. */
async function settled(page: Page) {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  await page.waitForTimeout(1_500);
}

async function pictures(name: string, path: string, size: Look, schemes: ('light' | 'dark')[], suffix = '') {
  const page = await signedIn(browser, shop.person, path, size);
  await settled(page);
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(FOLDER, `${name}-${suffix || colorScheme}.png`), animations: 'disabled' });
  }
  await page.context().close();
}

/** The form of a step with expressions and the result of its test. */
test('workflow-step', async () => {
  const page = await signedIn(browser, shop.person, PAGES['workflow-document']?.(shop) ?? '', STEP);
  await settled(page);
  await card(page, 'label').click();
  const panel = testPanel(page, 'label');
  await panel.getByRole('button', { name: 'Test this step' }).click();
  await panel.getByText('$return_value').first().waitFor();
  await page.locator('.outline').evaluate((outline) => outline.scrollTo(0, 0));
  await page.mouse.move(0, 0);
  await page.waitForTimeout(500);
  await page.locator('.halves').screenshot({ path: join(FOLDER, 'workflow-step-light.png'), animations: 'disabled' });
  await page.context().close();
});

test.each(Object.entries(PAGES))('%s', async (name, path) => {
  await pictures(name, path(shop), WIDE, ['light', 'dark']);
  if (ALSO_NARROW.includes(name)) await pictures(name, path(shop), NARROW, ['light'], 'narrow');
});
