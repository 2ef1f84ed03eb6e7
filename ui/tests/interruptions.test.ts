import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signedIn } from './harness/browser';
import { Emitter } from './harness/emitter';
import { expectToast, waitForTraffic } from './harness/recording';
import { browser, ownStage, server } from './harness/stage';

ownStage();

test('open pages recover from a server restart, including missed events', async () => {
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
  // Counted by the stream or by the refetch after it reconnects.
  const counted = overview.getByRole('link', { name: /^Events/ });
  await expect.poll(() => counted.textContent()).toMatch(/^Events\s*[1-9]/);
});

test('the configuration, code and listeners pages report an unreachable server and keep their content', async () => {
  const who = await server.user('writer');
  const source = await Emitter.deploy(who, 'Orders');
  const views = ['configuration', 'code', 'listeners'];
  const pages = await Promise.all(views.map((view) => signedIn(browser, who, `/sources/${source.id}/${view}`)));
  const [form, code, listeners] = pages as [Page, Page, Page];
  await form.getByLabel('greeting').fill('typed');
  await code.getByRole('textbox', { name: 'Code of Emitter' }).waitFor();
  await listeners.getByText('No listeners yet').waitFor();
  for (const page of pages) await waitForTraffic(page);
  const away = (page: Page) => page.getByRole('alert').getByText('The server cannot be reached.');
  await server.restart(async () => {
    for (const page of pages) await away(page).waitFor();
    expect(await form.getByLabel('greeting').inputValue()).toBe('typed');
    await code.getByRole('textbox', { name: 'Code of Emitter' }).waitFor();
    await listeners.getByText('No listeners yet').waitFor();
  });
  for (const page of pages) await away(page).waitFor({ state: 'detached' });
  expect(await form.getByLabel('greeting').inputValue()).toBe('typed');
});

test('a rejected stream is retried', async () => {
  const who = await server.user('refused');
  const source = await Emitter.deploy(who, 'Orders');
  const page = await signedIn(browser, who, '/settings');
  await page.route('**/sse?*', (route) => route.fulfill({ status: 503 }), { times: 1 });
  await page.goto(`${server.url}/sources/${source.id}`);
  await page.getByText('Live', { exact: true }).waitFor();
});

test('after the session has ended, signing in returns to the same page', async () => {
  const who = await server.user('ended');
  const source = await Emitter.deploy(who, 'Orders');
  const page = await signedIn(browser, who, `/sources/${source.id}`);
  await page.getByText('Live', { exact: true }).waitFor();
  const headers = { 'x-sluice-console': '1', origin: server.url };
  const ended = await page.context().request.delete(`${server.url}/v1/session`, { headers });
  expect(ended.ok()).toBe(true);
  // Without user input, the stream detects it first.
  await server.restart(async () => {});
  await page.getByLabel('API key').fill(who.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
});

test('a local server is used without internet access', async () => {
  const who = await server.user('remote');
  await Emitter.deploy(who, 'Orders');
  const page = await signedIn(browser, who, '/settings');
  await page.getByText(who.email, { exact: true }).waitFor();
  await page.evaluate(() => window.dispatchEvent(new Event('offline')));
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Sources' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Orders' }).waitFor();
});

test('a page that cannot be loaded is reported, and the open page stays', async () => {
  const who = await server.user('updated');
  const page = await signedIn(browser, who, '/settings');
  await page.getByText(who.email, { exact: true }).waitFor();
  await page.route('**/assets/*', (route) => route.fulfill({ status: 404 }));
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Workflows' }).click();
  await expectToast(page, 'This page could not be loaded');
  await page.getByText(who.email, { exact: true }).waitFor();
});
