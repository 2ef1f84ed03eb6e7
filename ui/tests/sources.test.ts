import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { Emitter } from './harness/emitter';
import { expectToast, waitForTraffic } from './harness/recording';
import type { Person } from './harness/server';
import { browser, server, stage } from './harness/stage';

stage();

const PATIENT = { timeout: 20_000 };
const QUIET = `export default { name: 'Quiet', version: '1.0.0', run() {} }`;

type Deployed = { name: string; name_slug: string; active: boolean };
const read = async (who: Person, id: string) => (await who.get<{ data: Deployed }>(`/sources/${id}`)).data;
const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
const names = (page: Page) => page.locator('a.name .title').allTextContents();

test('without sources the page links to the welcome page', async () => {
  const page = await signedIn(browser, await server.user('nobody'), '/sources');
  await page.getByText('No sources yet').waitFor();
  await page.getByRole('link', { name: 'Get started' }).click();
  await expect.poll(() => new URL(page.url()).pathname, PATIENT).toBe('/welcome');
});

test('an icon in the button of an empty page is as small as elsewhere', async () => {
  const page = await signedIn(browser, await server.user('iconic'), '/workflows');
  const buttons = page.getByRole('link', { name: 'New workflow' });
  await expect.poll(() => buttons.count()).toBe(2);
  const widths = await buttons
    .locator('svg')
    .evaluateAll((icons) => icons.map((icon) => icon.getBoundingClientRect().width));
  expect(widths[1]).toBe(widths[0]);
});

test('links for a new source are redirected', async () => {
  const who = await server.user('links');
  const page = await signedIn(browser, who, '/sources?action=create&key=rss-new-item');
  await expect.poll(() => page.url(), PATIENT).toBe(`${server.url}/sources/new?key=rss-new-item`);
  await page.goto(`${server.url}/sources?action=create&url=${encodeURIComponent('https://example.com/a.js?b=1')}`);
  await expect.poll(() => new URL(page.url()).pathname, PATIENT).toBe('/sources/new');
  expect(new URL(page.url()).searchParams.get('url')).toBe('https://example.com/a.js?b=1');
});

test('the list shows triggers and is updated live', async () => {
  const who = await server.user('moving');
  const source = await Emitter.deploy(who, 'Orders');
  const timer = `export default { name: 'Tick', version: '1.0.0', props: { timer: { type: '$.interface.timer', default: { intervalSeconds: 7200 } } }, run() {} }`;
  await who.source('Tick', timer);
  await who.source('Heard', QUIET);
  const page = await signedIn(browser, who, '/sources');
  const errors = pageErrors(page);
  await row(page, 'Tick').getByText('every 2 hours').waitFor();
  await row(page, 'Heard').getByText('Events', { exact: true }).waitFor();
  await row(page, 'Orders').getByText('HTTP').waitFor();
  await row(page, 'Orders').getByText('No events').waitFor();
  await expect
    .poll(async () => {
      await source.emit([1]);
      return row(page, 'Orders').locator('svg[role=img]').getAttribute('aria-label');
    }, PATIENT)
    .toMatch(/^[1-9]\d* events? and 0 errors in 24 hours$/);
  await row(page, 'Orders').locator('time').waitFor();
  await waitForTraffic(page);
  await source.run({ fail: 'refused' });
  await row(page, 'Orders').getByText('Failing').waitFor();
  expect(errors).toEqual([]);
});

test('search and state are in the URL and filtered by the server', async () => {
  const who = await server.user('finding');
  const { component_id } = (await who.source('Invoices', QUIET)) as unknown as { component_id: string };
  const orders = (await who.post<{ data: { id: string } }>('/sources', { component_id, name: 'Orders of Köln' })).data;
  await who.put(`/sources/${orders.id}`, { active: false });
  const page = await signedIn(browser, who, '/sources');
  await page.getByText('2 sources').waitFor();
  await page.getByLabel('Search by name or slug').fill('invo');
  await page.getByText('1 source', { exact: true }).waitFor();
  await expect.poll(() => names(page)).toEqual(['Invoices']);
  expect(page.url()).toContain('q=invo');
  await page.getByLabel('Search by name or slug').fill('nothing has this');
  await page.getByText('No matching sources').waitFor();
  await page.getByRole('link', { name: 'Show all sources' }).click();
  await page.getByText('2 sources').waitFor();
  await page.getByRole('link', { name: 'Inactive', exact: true }).click();
  await page.getByText('1 source', { exact: true }).waitFor();
  await expect.poll(() => names(page)).toEqual(['Orders of Köln']);
  await page.goBack();
  await page.getByText('2 sources').waitFor();
});

test('a long list is loaded in pages, and the arrow keys move through it', async () => {
  const who = await server.user('many');
  const { component_id } = (await who.source('Source 0', QUIET)) as unknown as { component_id: string };
  const make = (n: number) => who.post('/sources', { component_id, name: `Source ${n}` });
  await Promise.all(Array.from({ length: 67 }, (_, index) => make(index + 1)));
  for (const newest of [68, 69]) await make(newest);
  const page = await signedIn(browser, who, '/sources');
  await page.getByText('70 sources').waitFor();
  await row(page, 'Source 69').waitFor();
  await page.getByRole('listitem').last().scrollIntoViewIfNeeded();
  await expect.poll(async () => (await names(page)).length, PATIENT).toBe(70);
  await page.getByLabel('Search by name or slug').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Source 68', level: 1 }).waitFor();
});

test('a source is renamed in place, and an inactive one stays inactive', async () => {
  const who = await server.user('renaming');
  const { id } = await who.source('Before', QUIET);
  const page = await signedIn(browser, who, `/sources/${id}`);
  await page.getByRole('switch', { name: 'Active', checked: true }).click();
  await page.getByRole('switch', { name: 'Active', checked: false }).waitFor();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.keyboard.type('After all');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'After all', level: 1 }).waitFor();
  await expect
    .poll(() => read(who, id), PATIENT)
    .toMatchObject({ name: 'After all', name_slug: 'after-all', active: false });
  await page.getByRole('switch', { name: 'Active', checked: false }).click();
  await page.getByRole('switch', { name: 'Active', checked: true }).waitFor();
  expect((await read(who, id)).active).toBe(true);
  await page.goto(`${server.url}/sources/after-all`);
  await expect.poll(() => new URL(page.url()).pathname, PATIENT).toBe(`/sources/${id}`);
});

test('a source is run manually, with or without an event', async () => {
  const who = await server.user('running');
  const code = `export default { name: 'Echo', version: '1.0.0', run(event) { this.$emit(event, { summary: 'Ran with ' + JSON.stringify(event) }) } }`;
  const { id } = await who.source('Echo', code);
  const page = await signedIn(browser, who, `/sources/${id}`);
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('link', { name: 'Ran with {}' }).waitFor();
  await page.getByRole('button', { name: 'Run with event' }).click();
  await page.getByLabel('Event (JSON)').fill('{"n": ');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Invalid JSON').waitFor();
  await page.getByLabel('Event (JSON)').fill('{"n": 7}');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('link', { name: 'Ran with {"n":7}' }).waitFor();
});

test('a source is deleted after confirmation, even if its hook fails', async () => {
  const who = await server.user('deleting');
  const code = `export default { name: 'Stubborn', version: '1.0.0', hooks: { deactivate() { throw new Error('still subscribed') } }, run() {} }`;
  const { id } = await who.source('Stubborn', code);
  const page = await signedIn(browser, who, `/sources/${id}`);
  await page.getByRole('switch', { name: 'Active', checked: true }).click();
  await expectToast(page, 'Component hook failed: Error: still subscribed');
  await page.getByRole('button', { name: 'Delete source' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect((await read(who, id)).name).toBe('Stubborn');
  await page.getByRole('button', { name: 'Delete source' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByText('Error: still subscribed').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete anyway' }).click();
  await page.getByText('No sources yet').waitFor();
});

test('a failing source is marked live and links to its errors', async () => {
  const who = await server.user('failing');
  const source = await Emitter.deploy(who, 'Orders');
  const page = await signedIn(browser, who, `/sources/${source.id}/configuration`);
  await page.getByText('Active', { exact: true }).waitFor();
  await source.run({ lines: ['all is well'], fail: 'no such order' });
  await page.getByText('Failing', { exact: true }).waitFor();
  await page.getByRole('link', { name: '1 error in 24 hours' }).click();
  await page.getByText('TypeError: no such order').waitFor();
  expect(await page.getByText('all is well').count()).toBe(0);
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Sources' }).click();
  await row(page, 'Orders').getByText('Failing').waitFor();
});

test('a missing source shows a not-found page', async () => {
  const page = await signedIn(browser, await server.user('missing'), '/sources/dc_nothing');
  await page.getByRole('heading', { name: 'Source not found', level: 1 }).waitFor();
  await page.getByText('This source does not exist').waitFor();
  await page.getByRole('link', { name: 'All sources' }).click();
  await page.getByText('No sources yet').waitFor();
});

test('a source deleted elsewhere is detected', async () => {
  const who = await server.user('elsewhere');
  const [watched, changed] = [await who.source('Watched', QUIET), await who.source('Changed', QUIET)];
  const page = await signedIn(browser, who, `/sources/${watched.id}`);
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  await server.call('DELETE', `/sources/${watched.id}`, undefined, who.key);
  await page.getByText('This source does not exist').waitFor();

  // Without the traffic stream, whose start makes the page read everything again, only the click can tell.
  await page.route('**/v1/users/me/traffic*', () => undefined);
  await page.goto(`${server.url}/sources/${changed.id}/configuration`);
  await page.getByRole('heading', { name: 'Changed', level: 1 }).waitFor();
  await server.call('DELETE', `/sources/${changed.id}`, undefined, who.key);
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByText('This source does not exist').waitFor();
});

test('a name of 1,000 letters does not break the layout', async () => {
  const who = await server.user('long');
  const { id } = await who.source('w'.repeat(1_000), QUIET);
  const page = await signedIn(browser, who, `/sources/${id}`, { width: 390, height: 844 });
  await page.getByRole('button', { name: 'Delete source' }).click();
  const box = await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).boundingBox();
  expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThan(844);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test('the list has no serious accessibility violations in light and dark', async () => {
  const who = await server.user('axe-sources');
  const source = await Emitter.deploy(who, 'Orders');
  await source.emit([1]);
  const { id } = await who.source('Quiet', QUIET);
  await who.put(`/sources/${id}`, { active: false });
  const page = await signedIn(browser, who, '/sources');
  await row(page, 'Orders').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.getByLabel('Search by name or slug').fill('nothing has this');
  await page.getByText('No matching sources').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
});

test('a source whose timer skips ticks says so on its page', async () => {
  const who = await server.user('skipping');
  const slow = `export default { name: 'Slow', version: '1.0.0', props: { timer: { type: '$.interface.timer', default: { intervalSeconds: 1 } } },
    async run() { await new Promise((done) => setTimeout(done, 2_200)) } }`;
  const { id } = await who.source('Slow', slow);
  const calm = `export default { name: 'Calm', version: '1.0.0', props: { timer: { type: '$.interface.timer', default: { intervalSeconds: 7200 } } }, run() {} }`;
  const punctual = await who.source('Calm', calm);
  type Ticks = { ticks: { is_late: boolean; skipped_last_hour: number; last_tick_at?: number } };
  const ticks = async (source: string) => (await who.get<{ data: Ticks }>(`/sources/${source}`)).data.ticks;
  await expect.poll(async () => (await ticks(id)).skipped_last_hour, PATIENT).toBeGreaterThan(0);
  await expect.poll(async () => (await ticks(punctual.id)).last_tick_at, PATIENT).toBeDefined();

  const page = await signedIn(browser, who, `/sources/${id}`);
  const errors = pageErrors(page);
  const notice = page.getByRole('status').filter({ hasText: 'Timers of this source are late' });
  await notice.getByText(/ticks? (was|were) skipped in the last hour/).waitFor();
  const about = page.getByRole('region', { name: 'About this source' });
  await about.getByText('Last tick').waitFor();
  await about.getByText(/skipped in 24 hours/).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);

  await page.goto(`${server.url}/sources/${punctual.id}`);
  await about.getByText('Last tick').waitFor();
  // On a very busy machine its first tick may be late too.
  expect(await notice.count()).toBe((await ticks(punctual.id)).is_late ? 1 : 0);
  expect(errors).toEqual([]);
});
