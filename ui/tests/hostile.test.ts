import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { pageErrors, signedIn } from './harness/browser';
import { Emitter } from './harness/emitter';
import { measureFrames } from './harness/frames';
import { browser, server, stage } from './harness/stage';

stage();

const MARKUP = `<img src="http://elsewhere.example/x.png" onerror="alert(1)"><script>alert(2)</script>`;
const LINK = '[click](javascript:alert(3)) javascript:alert(4)';
const FOREIGN = 'main img, main script, main iframe, main object, a[href^="javascript:"]';
const TURNED = '\u202egnp.exe\u2066 \u200b\u200f';

/** Collects dialogs, requests to other hosts and errors of the page. */
function watch(page: Page): string[] {
  const seen = pageErrors(page);
  page.on('dialog', (dialog) => {
    seen.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${server.url}/`)) seen.push(`a request to ${request.url()}`);
  });
  return seen;
}

test('markup, scripts and bidirectional controls stay text', async () => {
  const who = await server.user('markup');
  const source = await Emitter.deploy(who, MARKUP);
  const page = await signedIn(browser, who, '/sources');
  const seen = watch(page);
  await page.getByText(MARKUP).click();
  await page.getByRole('heading', { name: MARKUP }).waitFor();
  const key = `${MARKUP}${TURNED}`;
  await source.emit([
    { [key]: MARKUP, link: LINK, turned: TURNED, __proto__: 1 },
    { summary: `${MARKUP} ${TURNED}`, id: MARKUP, name: MARKUP },
  ]);
  const row = page.locator('a[data-event]').filter({ hasText: '\\u202egnp.exe' });
  await row.click();
  await page.getByText('\\u202egnp.exe\\u2066').last().waitFor();
  for (const view of ['Structured', 'Raw', 'Pretty']) {
    await page.getByRole('button', { name: view }).click();
    await page.getByText('javascript:alert(4)').waitFor();
  }
  await source.run({ lines: [MARKUP, LINK, TURNED, '\u001b[31mred\u001b[0m'] });
  await page.getByRole('link', { name: 'Logs' }).click();
  await page.getByText('␛[31mred␛[0m').waitFor();
  await page.getByText(LINK).waitFor();
  await page.getByRole('navigation', { name: 'Source views' }).getByRole('link', { name: 'Listeners' }).click();
  await page.getByText('No listeners yet').waitFor();
  expect(await page.locator(FOREIGN).count()).toBe(0);
  expect(seen).toEqual([]);
});

test('Markdown of a component becomes no scripts, images, forms or unsafe links', async () => {
  const who = await server.user('markdown');
  const markdown = [
    `**Bold** ${MARKUP} ${LINK}`,
    '![logo](http://elsewhere.example/x.png) [docs](https://docs.example/a "\\" onclick=\\"alert(5)")',
    '<style>* { display: none }</style><form action="http://elsewhere.example"><button>Go</button></form>',
    '[data](data:text/html,<script>alert(6)</script>) [self](/settings) <javascript:alert(7)>',
  ].join('\n\n');
  // The parser of components limits the nesting of brackets in code.
  const code = `const text = ${JSON.stringify(markdown)} + '\\n\\n' + '['.repeat(100_000);
  export default { name: "Described", version: "0.0.1", description: text, async run() {}, props: {
    alert: { type: "alert", alertType: "error", content: text },
    word: { type: "string", label: "Word", description: text },
    more: { type: "string", label: "More", optional: true, description: text },
  } };`;
  const { data } = await who.post<{ data: { id: string } }>('/components', { component_code: code });
  const page = await signedIn(browser, who, '/settings');
  const seen = watch(page);
  await page.goto(`${server.url}/sources/new?component=${data.id}`);
  await page.getByLabel('Word').fill('w');
  const tooltip = await page.getByRole('button', { name: 'More' }).getAttribute('title');
  expect(tooltip).toMatch(/^Bold <img .*click javascript:alert\(4\) logo docs/);
  const addresses = await page
    .getByRole('main')
    .locator('a[target]:not([href^="/docs/"])')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  const expected = ['http://elsewhere.example/', 'http://elsewhere.example/x.png', 'https://docs.example/a'];
  expect([...new Set(addresses)].sort()).toEqual(expected);
  // The component, the note and the field.
  expect(await page.getByRole('link', { name: 'docs', exact: true }).count()).toBe(3);
  expect(await page.getByRole('main').locator('strong').allTextContents()).toEqual(['Bold', 'Bold', 'Bold']);
  expect(await page.getByRole('main').locator('[onclick], [onerror], [style], form form, style').count()).toBe(0);
  expect(await page.locator(FOREIGN).count()).toBe(0);
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.getByRole('region', { name: 'About this source' }).getByRole('link', { name: 'docs' }).waitFor();
  expect(await page.locator(FOREIGN).count()).toBe(0);
  expect(seen).toEqual([]);
});

test.each([
  ['a text of 5 MB', { text: 5_000_000 }, 'yyyyyyyy'],
  ['100,000 small values', { many: 33_000 }, 'row 0'],
  [
    '1,000 fields',
    { emits: [[Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`field ${n}`, n]))]] as [unknown][] },
    'field 0',
  ],
])('%s is shown without blocking the page', async (name, command, start) => {
  const who = await server.user(name.replaceAll(/\W/g, '-'));
  const source = await Emitter.deploy(who, 'Large');
  await source.run(command);
  await source.waitFor(1);
  const page = await signedIn(browser, who, '/settings');
  const seen = watch(page);
  const box = page.getByRole('region', { name: 'event', exact: true });
  const reading = async () => {
    await page.goto(`${server.url}/sources/${source.id}`);
    await page.locator('a[data-event]').first().waitFor();
    const longest = await measureFrames(page);
    await page.locator('a[data-event]').first().click();
    await box.getByText(start).first().waitFor();
    for (const view of ['Structured', 'Raw', 'Pretty']) {
      await page.getByRole('button', { name: view }).click();
      const words = view === 'Structured' && start === 'row 0' ? 'rows' : start;
      await box.getByText(words).first().waitFor();
    }
    return longest();
  };
  // A busy machine may stall once. A slow page stalls each time.
  await expect.poll(reading, { timeout: 60_000 }).toBeLessThan(1_000);
  // Only visible rows are rendered.
  expect(await page.locator('main *').count()).toBeLessThan(1_500);
  expect(seen).toEqual([]);
});

test('a long text can be expanded', async () => {
  const who = await server.user('whole');
  const source = await Emitter.deploy(who, 'Long');
  await source.run({ text: 300_000 });
  await source.waitFor(1);
  const page = await signedIn(browser, who, `/sources/${source.id}`);
  await page.locator('a[data-event]').first().click();
  await page.getByRole('button', { name: '299,600 more characters' }).click();
  await page.getByRole('dialog').getByText('300,000 characters').waitFor();
  await page.getByRole('button', { name: 'Copy full text' }).click();
  await expect.poll(() => page.evaluate(async () => (await navigator.clipboard.readText()).length)).toBe(300_000);
});

test('a large event does not block an open page', async () => {
  const who = await server.user('arrives');
  const source = await Emitter.deploy(who, 'Large');
  const page = await signedIn(browser, who, `/sources/${source.id}`);
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  const longest = await measureFrames(page);
  const row = page.getByRole('link', { name: 'A long text' });
  let sent = 0;
  const arriving = async () => {
    sent += 1;
    await longest();
    await source.run({ text: 5_000_000 });
    await expect.poll(() => row.count()).toBe(sent);
    return longest();
  };
  await expect.poll(arriving, { timeout: 60_000 }).toBeLessThan(1_000);
});
