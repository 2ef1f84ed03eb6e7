import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signedIn } from './harness/browser';
import { Emitter } from './harness/emitter';
import { listening, told } from './harness/passing';
import { browser, server, stage } from './harness/stage';

stage();

test('pages that are open while the server restarts go on by themselves, with what came meanwhile', async () => {
  const who = await server.user('patient');
  const source = await Emitter.deploy(who, 'Orders');
  const events = await signedIn(browser, who, `/sources/${source.id}`);
  const overview = await signedIn(browser, who, '/');
  await events.getByText('Live', { exact: true }).waitFor();
  await overview.getByText('Live', { exact: true }).waitFor();
  await server.restart(async () => {
    await events.getByText('Live', { exact: true }).waitFor({ state: 'detached' });
    await overview.getByText('Live', { exact: true }).waitFor({ state: 'detached' });
  });
  await source.emit([1, { summary: 'The first after it' }]);
  await events.getByRole('link', { name: 'The first after it' }).waitFor();
  await events.getByText('Live', { exact: true }).waitFor();
  // Heard of by the stream, or asked for when that was back.
  const counted = overview.getByRole('link', { name: /^Events/ });
  await expect.poll(() => counted.textContent()).toMatch(/^Events\s*[1-9]/);
});

test('whoever configures, writes code or looks at listeners is told that the server is away, and keeps what is there', async () => {
  const who = await server.user('writer');
  const source = await Emitter.deploy(who, 'Orders');
  const views = ['configuration', 'code', 'listeners'];
  const pages = await Promise.all(views.map((view) => signedIn(browser, who, `/sources/${source.id}/${view}`)));
  const [form, code, listeners] = pages as [Page, Page, Page];
  await form.getByLabel('greeting').fill('typed');
  await code.getByRole('textbox', { name: 'Code of Emitter' }).waitFor();
  await listeners.getByText('Nobody listens yet').waitFor();
  for (const page of pages) await listening(page);
  const away = (page: Page) => page.getByRole('alert').getByText('The server cannot be reached.');
  await server.restart(async () => {
    for (const page of pages) await away(page).waitFor();
    expect(await form.getByLabel('greeting').inputValue()).toBe('typed');
    await code.getByRole('textbox', { name: 'Code of Emitter' }).waitFor();
    await listeners.getByText('Nobody listens yet').waitFor();
  });
  for (const page of pages) await away(page).waitFor({ state: 'detached' });
  expect(await form.getByLabel('greeting').inputValue()).toBe('typed');
});

test('a stream that is refused is tried again', async () => {
  const who = await server.user('refused');
  const source = await Emitter.deploy(who, 'Orders');
  const page = await signedIn(browser, who, '/settings');
  await page.route('**/sse?*', (route) => route.fulfill({ status: 503 }), { times: 1 });
  await page.goto(`${server.url}/sources/${source.id}`);
  await page.getByText('Live', { exact: true }).waitFor();
});

test('whoever is no longer signed in is asked for the key, and comes back to the same page', async () => {
  const who = await server.user('ended');
  const source = await Emitter.deploy(who, 'Orders');
  const page = await signedIn(browser, who, `/sources/${source.id}`);
  await page.getByText('Live', { exact: true }).waitFor();
  const headers = { 'x-sluice-console': '1', origin: server.url };
  const ended = await page.context().request.delete(`${server.url}/v1/session`, { headers });
  expect(ended.ok()).toBe(true);
  // Nobody does anything: the stream is the first to be told.
  await server.restart(async () => {});
  await page.getByLabel('API key').fill(who.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
});

test('without the internet, a server that is near is still asked', async () => {
  const who = await server.user('remote');
  await Emitter.deploy(who, 'Orders');
  const page = await signedIn(browser, who, '/settings');
  await page.getByText('remote@example.com').waitFor();
  await page.evaluate(() => window.dispatchEvent(new Event('offline')));
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Sources' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Orders' }).waitFor();
});

test('a page that cannot be loaded says so, and the one that is open stays', async () => {
  const page = await signedIn(browser, await server.user('updated'), '/settings');
  await page.getByText('updated@example.com').waitFor();
  await page.route('**/assets/*', (route) => route.fulfill({ status: 404 }));
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Workflows' }).click();
  await told(page, 'This page did not load');
  await page.getByText('updated@example.com').waitFor();
});
