import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { browser, server, stage } from './harness/stage';

stage();

test('pages, forms and empty lists have a link to their documentation', async () => {
  const who = await server.user('reader');
  const page = await signedIn(browser, who, '/webhooks?action=create');
  const errors = pageErrors(page);
  const addressOf = (name: string) => page.getByTitle(`Documentation: ${name}`, { exact: true }).getAttribute('href');
  expect(await addressOf('New webhook')).toBe('/docs/guide/sending-webhooks');
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.keyboard.press('Escape');
  expect(await addressOf('Webhooks')).toBe('/docs/guide/sending-webhooks');
  await page.goto(`${server.url}/sources`);
  expect(await addressOf('No sources yet')).toBe('/docs/guide/first-source');
  expect(await violationsInBothSchemes(page)).toEqual([]);
  expect(errors).toEqual([]);
});

test('help opens in a tab of its own, so that a form keeps its content', async () => {
  const who = await server.user('writer');
  const page = await signedIn(browser, who, '/webhooks?action=create');
  await page.getByLabel('Name').fill('kept');
  const [help] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByTitle('Documentation: New webhook').click(),
  ]);
  expect(new URL(help.url()).pathname).toBe('/docs/guide/sending-webhooks');
  expect(await page.getByLabel('Name').inputValue()).toBe('kept');
});

test('an error of the sandbox links to the page that explains it', async () => {
  const who = await server.user('author');
  const code = `export default {
    name: 'Reader', version: '0.0.1', props: { http: '$.interface.http' },
    async run() { (await import('node:fs')).readFileSync('/etc/passwd'); },
  };`;
  const { data } = await who.post<{ data: { id: string } }>('/sources', { component_code: code });
  await who.post(`/sources/${data.id}/run`, { event: {} });
  const page = await signedIn(browser, who, `/sources/${data.id}/logs`);
  const link = page.getByTitle('Documentation: this error').first();
  expect(await link.getAttribute('href')).toBe('/docs/security#the-sandbox-of-a-component');
});
