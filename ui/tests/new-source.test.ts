import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { type SmallServer, smallServer } from './harness/small-server';
import { browser, server, stage } from './harness/stage';

stage();

let files: SmallServer;
const GREETING = 'export const greeting = "hello";';
const FILE = `import { greeting } from "./greeting.mjs";
export default { name: "From a URL", version: "0.0.1", props: { http: "$.interface.http", who: { type: "string", label: "Who" } }, async run() { this.$emit({ greeting, who: this.who }); } };`;

beforeAll(async () => {
  files = await smallServer((request, response) => {
    const code = { '/hello.mjs': FILE, '/greeting.mjs': GREETING, '/broken.mjs': 'export default {' }[
      request.url ?? ''
    ];
    response.writeHead(code ? 200 : 404, { 'content-type': 'text/javascript' }).end(code);
  });
});
afterAll(() => files?.close());

const editor = (page: Page) => page.getByRole('textbox', { name: 'Component code' });
async function write(page: Page, code: string) {
  await editor(page).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(code);
}
const idIn = (page: Page) => /dc_\w+/.exec(page.url())?.[0] ?? '';

test('a source is created from code: an error is shown at its line, then the code is corrected and configured', async () => {
  const who = await server.user('coder');
  const page = await signedIn(browser, who, '/sources/new?from=code');
  const errors = pageErrors(page);
  await editor(page).getByText('export').waitFor();
  await write(page, 'export default {\n  name: "Mine",\n  version: "0.0.1",\n  run() { return }}\n};\n');
  await page.keyboard.press('Control+S');
  const alert = page.getByRole('alert');
  await alert.getByText('Not saved: the code has errors.').waitFor();
  await alert.getByText(/Line \d/).waitFor();
  await page.locator('.cm-lint-marker-error').waitFor();

  await write(
    page,
    'export default {\n  name: "Mine",\n  version: "0.0.1",\n  props: { http: "$.interface.http", word: { type: "string", label: "Word" } },\n  run() { this.$emit(this.word); },\n};\n',
  );
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Word').fill('sesame');
  await page.getByLabel('Name').fill('My own source');
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.waitForURL(/\/sources\/dc_\w+$/);
  const { data } = await who.get<{ data: { name: string; configured_props: { word: string } } }>(
    `/sources/${idIn(page)}`,
  );
  expect(data).toMatchObject({ name: 'My own source', configured_props: { word: 'sesame' } });
  expect(errors.filter((words) => !words.includes('422'))).toEqual([]);
});

test('the initial example works unchanged', async () => {
  const who = await server.user('example');
  const page = await signedIn(browser, who, '/sources/new?from=code');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.waitForURL(/\/sources\/dc_\w+$/);
  const { data } = await who.get<{ data: { configured_props: { http: { endpoint_url: string } } } }>(
    `/sources/${idIn(page)}`,
  );
  await fetch(data.configured_props.http.endpoint_url, { method: 'POST', body: '{}' });
  const events = () => who.get<{ data: unknown[] }>(`/sources/${idIn(page)}/event_summaries`);
  await expect.poll(async () => (await events()).data.length).toBeGreaterThan(0);
});

test('a source is created from a URL, including relative imports', async () => {
  const who = await server.user('linker');
  const page = await signedIn(browser, who, '/sources/new?from=url');
  await page.getByLabel('URL', { exact: true }).fill('hello');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Enter a URL that starts with http:// or https://.').waitFor();
  await page.getByLabel('URL', { exact: true }).fill(`${files.url}/hello.mjs`);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Who').fill('Ada');
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.waitForURL(/\/sources\/dc_\w+$/);
  await who.post(`/sources/${idIn(page)}/run`);
  const newest = async () => {
    const { data } = await who.get<{ data: { event: unknown }[] }>(`/sources/${idIn(page)}/event_summaries`);
    return data[0]?.event;
  };
  await expect.poll(newest).toEqual({ greeting: 'hello', who: 'Ada' });
});

test('links open the form directly, and a URL without code shows an error', async () => {
  const who = await server.user('deep');
  const page = await signedIn(browser, who, `/sources/new?url=${encodeURIComponent(`${files.url}/hello.mjs`)}`);
  await page.getByLabel('Who').waitFor();
  await page.goto(`${server.url}/sources/new?url=${encodeURIComponent(`${files.url}/broken.mjs`)}`);
  await page.getByText('Not saved: the code has errors.').waitFor();
  await page.goto(`${server.url}/sources/new?url=${encodeURIComponent(`${files.url}/nothing.mjs`)}`);
  await page.getByRole('button', { name: 'Retry' }).waitFor();
  expect(await page.getByRole('alert').textContent()).toMatch(/404/);
  await page.goto(`${server.url}/sources/new?key=no-such-key`);
  await page.getByRole('alert').waitFor();
});

test('published components are found by app and by text, and become a source', async () => {
  const who = await server.user('chooser');
  const publish = (key: string, name: string, props: string, more = '') =>
    server.call('POST', '/components/registry', {
      component_code: `export default { name: "${name}", key: "${key}", version: "1.2.3", ${more} props: { ${props} }, async run() {} };`,
    });
  const town = 'town: { type: "string", label: "Town" }';
  await publish('weather-rain', 'Rain is near', town, 'description: "Tells of **rain** before it falls.",');
  await publish('weather-sun', 'The sun is out', '');
  await publish('post-letter', 'A letter came', '');
  const page = await signedIn(browser, who, '/sources/new?view=components');
  await page.getByRole('region', { name: 'No app' }).getByText('Rain is near').waitFor();
  await page.getByText('Tells of rain before it falls.').waitFor();
  await page.getByText('A letter came').waitFor();
  await page.goto(`${server.url}/sources/new?app=weather`);
  await page.getByText('The sun is out').waitFor();
  expect(await page.getByText('A letter came').count()).toBe(0);
  await page.getByRole('button', { name: 'Show all apps' }).click();
  await page.getByLabel('Search apps and components').fill('rain');
  await page.getByText('Rain is near').waitFor();
  await expect.poll(() => page.getByText('The sun is out').count()).toBe(0);

  await page.getByText('Rain is near').click();
  await page.waitForURL(/key=weather-rain/);
  await page.getByLabel('Town').fill('Ghent');
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.waitForURL(/\/sources\/dc_\w+$/);
  await page.getByRole('region', { name: 'About this source' }).getByText('Tells of rain before it falls.').waitFor();
  const { data } = await who.get<{ data: { configured_props: unknown } }>(`/sources/${idIn(page)}`);
  expect(data.configured_props).toEqual({ town: 'Ghent' });
});

test('apps with sources are browsed, the best known first, and by keyboard', async () => {
  const who = await server.user('browser');
  const publish = (app: string, name: string) =>
    server.call('POST', '/components/registry', {
      component_code: `const app = { type: "app", app: "${app}" };
        export default { name: "${name}", key: "${app}-browsed", version: "0.1.0", props: { app }, async run() {} };`,
    });
  await publish('trello', 'Card was browsed');
  await publish('stripe', 'Payment was browsed');
  const page = await signedIn(browser, who, '/sources/new');
  const errors = pageErrors(page);
  const apps = page.getByRole('list', { name: 'Apps' });
  await apps.getByRole('link', { name: /^Trello/ }).waitFor();
  const names = await apps.getByRole('link').allTextContents();
  const rank = (name: string) => names.findIndex((text) => text.trim().startsWith(name));
  expect(rank('Stripe')).toBeLessThan(rank('Trello'));
  expect(await apps.getByRole('link', { name: /^Stripe/ }).textContent()).toMatch(/1 source/);
  expect(
    await apps
      .getByRole('link', { name: /^Stripe/ })
      .locator('img')
      .getAttribute('src'),
  ).toBe('/app-icons/stripe.svg');

  await page.getByLabel('Search apps and components').fill('stripe');
  await expect.poll(() => apps.getByRole('link').count()).toBe(1);
  await page.getByText('Payment was browsed').waitFor();
  await page.getByLabel('Search apps and components').press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/app=stripe/);
  await page.getByRole('heading', { name: 'Stripe' }).waitFor();
  expect(await page.getByRole('link', { name: 'About this app' }).getAttribute('href')).toBe('/apps/stripe');
  await page.getByRole('link', { name: /Payment was browsed/ }).click();
  await page.waitForURL(/key=stripe-browsed/);
  await page.goBack();
  await page.goBack();
  await apps.getByRole('link', { name: /^Stripe/ }).waitFor();
  expect(errors).toEqual([]);
});

test('a failed hook shows its error, and the form keeps its values', async () => {
  const who = await server.user('hooked');
  const code = `export default { name: "Hooked", version: "0.0.1", props: { word: { type: "string", label: "Word" } },
    hooks: { async deploy() { console.log("asking the service"); if (this.word !== "sesame") throw new Error("the service knows no " + this.word); } }, async run() {} };`;
  const { data } = await who.post<{ data: { id: string } }>('/components', { component_code: code });
  const page = await signedIn(browser, who, `/sources/new?component=${data.id}`);
  await page.getByLabel('Word').fill('pepper');
  await page.getByRole('button', { name: 'Create source' }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('Not saved: the deploy hook failed.').waitFor();
  await alert.getByText('asking the service').waitFor();
  await alert.getByText('the service knows no pepper').first().waitFor();
  await page.getByLabel('Word').fill('sesame');
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.waitForURL(/\/sources\/dc_\w+$/);
});

test('leaving with unsaved code asks for confirmation; switching tabs does not', async () => {
  const who = await server.user('leaver');
  const page = await signedIn(browser, who, '/sources/new?from=code');
  await editor(page).getByText('export').waitFor();
  await write(page, '// mine');
  await page.getByRole('link', { name: 'From URL' }).click();
  await page.getByLabel('URL', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'From code' }).click();
  await editor(page).getByText('// mine').waitFor();
  await page.getByRole('link', { name: 'Flow map' }).click();
  await page.getByRole('dialog').getByText('Discard unsaved changes?').waitFor();
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.waitForURL(`${server.url}/flow`);
});

test('values of a deselected component are not unsaved changes', async () => {
  const who = await server.user('fickle');
  const page = await signedIn(
    browser,
    who,
    `/sources/new?from=url&url=${encodeURIComponent(`${files.url}/hello.mjs`)}`,
  );
  await page.getByLabel('Who').fill('Ada');
  await page.getByRole('link', { name: 'Select another' }).click();
  await page.getByLabel('URL', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Flow map' }).click();
  await page.waitForURL(`${server.url}/flow`);
});

test('Escape and Tab leave the editor', async () => {
  const who = await server.user('keys');
  const page = await signedIn(browser, who, '/sources/new?from=code');
  await editor(page).getByText('export').waitFor();
  await editor(page).focus();
  await page.keyboard.press('Tab');
  expect(await editor(page).evaluate((field) => field.contains(document.activeElement))).toBe(true);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  expect(await editor(page).evaluate((field) => field.contains(document.activeElement))).toBe(false);
});

test('the three tabs have no serious accessibility violations in light and dark and on a narrow screen', async () => {
  const who = await server.user('axe');
  const page = await signedIn(browser, who, '/sources/new?from=code');
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${server.url}/sources/new?from=code`);
    await editor(page).getByText('export').waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    for (const from of ['registry', 'url']) {
      await page.goto(`${server.url}/sources/new?from=${from}`);
      await page.getByRole('link', { name: 'From code' }).waitFor();
      expect(await violationsInBothSchemes(page)).toEqual([]);
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wide).toBe(0);
    }
  }
});
