import { expect, test, vi } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { signedIn } from './harness/browser';
import type { Person } from './harness/server';
import { browser, server, stage } from './harness/stage';

stage();

const ECHO = `export default {
  name: 'Echo', version: '0.0.1', props: { http: '$.interface.http' },
  run({ body }) { if (body === 'break') throw new Error('broken'); this.$emit(body); },
};`;

/** The last bar is the current hour. The test must not cross into the next one. */
async function wellWithinTheHour() {
  const HOUR_MS = 3_600_000;
  const MARGIN_MS = 60_000;
  await vi.waitUntil(() => Date.now() % HOUR_MS < HOUR_MS - MARGIN_MS, { timeout: MARGIN_MS + 5_000 });
}

async function echo(who: Person, name: string) {
  const { id, configured_props } = await who.source(name, ECHO);
  const { endpoint_url } = configured_props.http as { endpoint_url: string };
  return { id, send: (body: string) => fetch(endpoint_url, { method: 'POST', body }) };
}

test('the figures are updated live', async () => {
  const person = await server.user('watcher');
  const { send } = await echo(person, 'Tide gauge');
  const page = await signedIn(browser, person);
  await page.getByText('Live', { exact: true }).waitFor();
  const events = page.getByRole('link', { name: /^Events/ });
  const before = Number(/\d+/.exec((await events.textContent()) ?? '')?.[0]);
  await Promise.all(['1', '2', '3'].map(send));
  // Events that arrive during a request count twice until the next one.
  await expect
    .poll(async () => Number(/\d+/.exec((await events.textContent()) ?? '')?.[0]), { timeout: 45_000 })
    .toBe(before + 3);
  await page.getByRole('slider', { name: /Events and errors/ }).waitFor();
});

test('each figure links to its list', async () => {
  const person = await server.user('reader');
  const { id, send } = await echo(person, 'Lighthouse');
  await send('break');
  await expect
    .poll(async () => (await person.get<{ data: { failing: unknown[] } }>('/users/me/overview')).data.failing.length)
    .toBe(1);
  const page = await signedIn(browser, person);
  const numbers = page.getByRole('main').getByRole('list').first();
  await numbers.waitFor();
  const targets = await numbers
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  expect(targets).toEqual([
    '/sources?state=active',
    '/sources?state=failing',
    '/sources',
    '/workflows',
    '/webhooks',
    '/deliveries?state=pending',
    '/deliveries?state=failed',
  ]);
  await page.getByRole('region', { name: 'Failing' }).getByRole('link', { name: 'Lighthouse' }).click();
  await page.waitForURL(`**/sources/${id}/logs`);
});

test('the chart shows exact values with pointer and keyboard, and its range is in the URL', async () => {
  await wellWithinTheHour();
  const person = await server.user('exact');
  const { send } = await echo(person, 'Buoy');
  await send('1');
  await expect
    .poll(async () => (await person.get<{ data: { busiest: unknown[] } }>('/users/me/overview')).data.busiest.length)
    .toBe(1);
  const page = await signedIn(browser, person);
  const chart = page.getByRole('slider', { name: 'Events and errors, last 24 hours' });
  await page.locator('.u-over').waitFor();
  await chart.focus();
  await page.keyboard.press('End');
  await expect.poll(() => chart.getAttribute('aria-valuetext')).toMatch(/: 1 event, 0 errors$/);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => chart.getAttribute('aria-valuetext')).toMatch(/: 0 events, 0 errors$/);
  const box = await page.locator('.u-over').boundingBox();
  if (!box) throw new Error('the chart has no size');
  await page.mouse.move(box.x + box.width - 4, box.y + 20);
  await expect.poll(() => page.locator('figcaption').textContent()).toContain('1 event');

  await page.getByRole('button', { name: '31 days' }).click();
  await page.waitForURL('**/?range=31d');
  await page.getByRole('slider', { name: 'Events and errors, last 31 days' }).waitFor();
  const days = page.getByRole('table', { name: /31 days/ }).getByRole('row');
  await expect.poll(() => days.count()).toBeGreaterThan(29);
  await page.goBack();
  await chart.waitFor();
});

test('the chart follows the theme', async () => {
  await wellWithinTheHour();
  const person = await server.user('painter');
  const { send } = await echo(person, 'Signal');
  await send('1');
  await expect
    .poll(async () => (await person.get<{ data: { busiest: unknown[] } }>('/users/me/overview')).data.busiest.length)
    .toBe(1);
  const page = await signedIn(browser, person);
  await page.locator('.u-over').waitFor();
  // The bar of the current hour is the last one.
  const colour = () =>
    page.locator('.uplot canvas').evaluate((canvas: HTMLCanvasElement) => {
      const { right, bottom } = { right: canvas.width - 26, bottom: canvas.height - 34 };
      return [...(canvas.getContext('2d')?.getImageData(right, bottom, 1, 1).data ?? [])].slice(0, 3).join();
    });
  const swatch = () =>
    page.locator('.swatch.events').evaluate((element) => {
      const context = document.createElement('canvas').getContext('2d');
      if (!context) return '';
      context.fillStyle = getComputedStyle(element).backgroundColor;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).join();
    });
  const light = await swatch();
  await expect.poll(colour).toBe(light);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(swatch).not.toBe(light);
  const dark = await swatch();
  await expect.poll(colour).toBe(dark);
});

test('only operators see the server panel', async () => {
  const person = await server.user('plain');
  await echo(person, 'Quay');
  const page = await signedIn(browser, person);
  await page.getByRole('region', { name: 'Busiest' }).waitFor();
  expect(await page.getByRole('region', { name: 'Server' }).count()).toBe(0);
});

test('the overview has no serious accessibility violations in light and dark', async () => {
  const person = await server.user('faultless');
  await echo(person, 'Pier');
  const page = await signedIn(browser, person, '/');
  await page.locator('.u-over').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
});
