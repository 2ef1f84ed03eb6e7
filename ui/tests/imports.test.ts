import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { type Archive, action, archive } from './harness/archive';
import { pageErrors, signedIn } from './harness/browser';
import { expectToast } from './harness/recording';
import { Person } from './harness/server';
import { browser, ownStage, server } from './harness/stage';

ownStage();

let operator: Person;
beforeAll(() => {
  operator = new Person(server, server.key);
});

const BROKEN = 'export default {\n  key: "acme-broken" name: 1 };\n';
const small = (more: Record<string, string> = {}) =>
  archive('acme-tools-1.2.0.tar.gz', {
    ...Object.fromEntries([action('acme', 'say'), action('acme', 'sing')]),
    'acme/actions/broken/broken.mjs': BROKEN,
    'README.md': '# Tools\n',
    ...more,
  });
const large = (count: number) => {
  const actions = Array.from({ length: count }, (_, index) => action(`many${index % 10}`, `act-${index}`));
  return archive('many.tgz', Object.fromEntries(actions));
};

const choose = (page: Page, file: Archive) => page.getByLabel(/Choose or drop/).setInputFiles(file);
const figure = (page: Page, name: string) => page.getByText(name, { exact: true }).locator('..').locator('dd');
async function expectCounts(page: Page, counts: Record<string, number>) {
  for (const [name, value] of Object.entries(counts))
    await expect.poll(() => figure(page, name).textContent()).toBe(value.toLocaleString('en-US'));
}
const earlier = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Earlier imports' }).getByRole('row', { name: new RegExp(name) });
const registered = async (key: string) =>
  (await fetch(`${server.url}/v1/components/registry/${key}`, { headers: { authorization: `Bearer ${server.key}` } }))
    .ok;

test('an archive is checked, imported, imported again with changes, and undone', async () => {
  const page = await signedIn(browser, operator, '/apps');
  const errors = pageErrors(page);
  await page.getByRole('link', { name: 'Import components' }).click();
  await page.getByText('No imports').waitFor();
  await choose(page, small());
  expect(await page.getByLabel('Name').inputValue()).toBe('acme-tools');
  await page.getByLabel('Check only').check();
  expect(await page.getByLabel(/^Remove components/).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Check archive' }).click();
  await page.getByRole('heading', { name: 'Check of acme-tools finished' }).waitFor();
  await expectCounts(page, { Registered: 2, Updated: 0, Broken: 1 });
  expect(await registered('acme-say')).toBe(false);

  await page.getByRole('button', { name: 'Import now' }).click();
  await page.getByRole('heading', { name: 'Import of acme-tools finished' }).waitFor();
  await expectCounts(page, { Registered: 2, Updated: 0, Unchanged: 0, Broken: 1 });
  const broken = page.getByRole('region', { name: 'Broken components' });
  await broken.getByRole('rowheader', { name: /^Code 1/ }).waitFor();
  await broken.getByText(/^acme\/actions\/broken\/broken\.mjs:2:\d+$/).waitFor();
  await earlier(page, 'acme-tools').waitFor();
  expect(await registered('acme-say')).toBe(true);

  await page.getByRole('button', { name: 'New import' }).click();
  const [path, code] = action('acme', 'say', '0.0.2');
  await choose(page, archive('acme-tools-1.3.0.tar.gz', { [path]: code }));
  await page.getByText('Imported before: only the changes are imported.').waitFor();
  await page.getByLabel(/^Remove components/).check();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('heading', { name: 'Import of acme-tools finished' }).waitFor();
  const removed = page.getByRole('region', { name: 'Removed files' });
  await removed.getByRole('row', { name: /acme-sing Removed/ }).waitFor();
  expect(await registered('acme-sing')).toBe(false);

  await page.getByRole('button', { name: 'Undo this import' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click();
  await expectToast(page, 'Import undone');
  await page.getByRole('button', { name: 'Undo this import' }).waitFor({ state: 'hidden' });
  await page.getByText('No imports').waitFor();
  expect(await registered('acme-sing')).toBe(true);
  expect(errors).toEqual([]);
});

test('the progress of an import is shown, and leaving the page stops it', async () => {
  const page = await signedIn(browser, operator, '/apps/import');
  await choose(page, large(1_000));
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText(/^[1-9]\d* of 1,000 components$/).waitFor();
  expect(await page.getByRole('progressbar', { name: 'Importing' }).getAttribute('aria-valuetext')).toMatch(/of 1,000/);
  await page.getByRole('link', { name: 'Workflows' }).click();
  const question = page.getByRole('dialog', { name: 'Stop the import?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('progressbar', { name: 'Importing' }).waitFor();
  await page.getByRole('link', { name: 'Workflows' }).click();
  await question.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor();

  await page.goto(`${server.url}/apps/import`);
  await earlier(page, 'many').waitFor();
  await choose(page, large(1_000));
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText(/^[1-9]\d* of 1,000 components$/).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('heading', { name: 'Import of many stopped' }).waitFor();
  await page.getByText('The components so far are registered.').waitFor();
  await page.getByRole('button', { name: 'Continue import' }).click();
  await page.getByRole('heading', { name: 'Import of many finished' }).waitFor({ timeout: 60_000 });
  const unchanged = Number((await figure(page, 'Unchanged').textContent())?.replaceAll(',', ''));
  expect(unchanged).toBeGreaterThan(0);
  await expectCounts(page, { Registered: 1_000 - unchanged, Broken: 0 });
  await earlier(page, 'many').getByRole('button', { name: 'Undo import of many' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click();
  await expectToast(page, 'Import undone');
  await earlier(page, 'many').waitFor({ state: 'hidden' });
});

test('a dropped archive is uploaded with progress, and a stopped upload returns to the form', async () => {
  const page = await signedIn(browser, operator, '/apps/import');
  await page.getByText('Choose or drop an archive').waitFor();
  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([crypto.getRandomValues(new Uint8Array(60_000))], 'dropped.tar'));
    return transfer;
  });
  await page.getByRole('main').dispatchEvent('dragover', { dataTransfer: dropped });
  await page.getByRole('main').dispatchEvent('drop', { dataTransfer: dropped });
  await page.getByText('dropped.tar').waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 10_000 };
  await session.send('Network.emulateNetworkConditions', slow);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('progressbar', { name: 'Uploading' }).waitFor();
  await page.getByText(/^[1-9]\d* KB of 59 KB$/).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Import', exact: true }).waitFor();
  await page.getByText('dropped.tar').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('a file that is not an archive is rejected, and a missing name', async () => {
  const page = await signedIn(browser, operator, '/apps/import');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('Choose an archive.').waitFor();
  await page.getByText('Enter a name.').waitFor();
  await choose(page, { ...small(), name: 'photo.png' });
  await page.getByText('Choose a .tar, .tar.gz or .tgz file.').waitFor();
  await choose(page, { ...small(), buffer: Buffer.from('not an archive'.repeat(100)) });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: /archive/ })
    .waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('acme-tools');
  await choose(page, small());
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('heading', { name: 'Import of acme-tools finished' }).waitFor();
});

test('a lost connection is shown, and the import continues', async () => {
  const page = await signedIn(browser, operator, '/apps/import');
  const body = [
    { step: 'begun', import_id: 'imp_x', total: 2, skipped: 0 },
    { step: 'components', components: [{ path: 'a', outcome: 'registered' }] },
  ];
  const lines = (steps: unknown[]) => `\n${steps.map((step) => JSON.stringify(step)).join('\n')}\n`;
  const answer = { status: 200, contentType: 'application/x-ndjson' };
  await page.route('**/imports?*', (route) => route.fulfill({ ...answer, body: lines(body) }), { times: 1 });
  await choose(page, small());
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('heading', { name: 'Import of acme-tools failed' }).waitFor();
  await page.getByText('The connection ended before the import did.').waitFor();
  await expectCounts(page, { Registered: 1 });
  const failed = [...body, { step: 'failed', error: 'the disk is full' }];
  await page.route('**/imports?*', (route) => route.fulfill({ ...answer, body: lines(failed) }), { times: 1 });
  await page.getByRole('button', { name: 'Continue import' }).click();
  await page.getByText('The disk is full.').waitFor();
});

test('thousands of results leave the page responsive', async () => {
  const page = await signedIn(browser, operator, '/apps/import');
  const results = Array.from({ length: 15_000 }, (_, index) => ({
    path: `app${index % 900}/actions/act-${index}/act-${index}.mjs`,
    outcome: 'failed',
    reason: index % 2 ? 'key' : 'code',
    errors: [{ message: 'Unexpected token', line: 3, column: 7 }],
  }));
  const batches = Array.from({ length: 150 }, (_, index) => results.slice(index * 100, (index + 1) * 100));
  const steps = [
    { step: 'begun', total: results.length, skipped: 9 },
    ...batches.map((components) => ({ step: 'components', components })),
    { step: 'apps', apps: [{ name_slug: 'acme', fields: [{ name: 'token', optional: false, registered: false }] }] },
    { step: 'finished' },
  ];
  const body = steps.map((step) => `${JSON.stringify(step)}\n`).join('');
  await page.route('**/imports?*', (route) => route.fulfill({ contentType: 'application/x-ndjson', body }));
  await choose(page, small());
  const began = performance.now();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('heading', { name: 'Import of acme-tools finished' }).waitFor();
  expect(performance.now() - began).toBeLessThan(10_000);
  const broken = page.getByRole('region', { name: 'Broken components' });
  await broken.getByRole('rowheader', { name: /^Key 7,500/ }).waitFor();
  expect(await broken.getByRole('row').count()).toBeLessThan(120);
  await broken.getByRole('button', { name: 'Show more (7,450 left)' }).first().click();
  await broken.getByRole('button', { name: 'Show more (7,400 left)' }).waitFor();
  await page
    .getByRole('region', { name: 'Missing credential fields' })
    .getByRole('row', { name: 'acme token' })
    .waitFor();
});

test('other users are told that the page is for operators', async () => {
  const page = await signedIn(browser, await server.user('importer'), '/apps');
  await page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor();
  expect(await page.getByRole('link', { name: 'Import components' }).count()).toBe(0);
  await page.goto(`${server.url}/apps/import`);
  await page.getByText('Operators only').waitFor();
});

test('the page has no serious accessibility violations in light and dark and on a narrow screen', async () => {
  const page = await signedIn(browser, operator, '/apps/import');
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${server.url}/apps/import`);
    await page.getByRole('region', { name: 'Earlier imports' }).waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    const [path, code] = action('acme', 'hum', `0.0.${width}`);
    await choose(page, small({ [path]: code }));
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'Import of acme-tools finished' }).waitFor();
    await page.getByRole('region', { name: 'Broken components' }).waitFor();
    await earlier(page, 'acme-tools').waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(
      0,
    );
  }
});
