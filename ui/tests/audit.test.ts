import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { webhook } from './harness/receiver';
import { Person, Server } from './harness/server';
import { browser, ownStage, server } from './harness/stage';

ownStage();

const CODE = 'module.exports = { name: "Idle", version: "0.0.1", run() {} };';
const rows = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const idOf = (answer: { data: { id: string } }) => answer.data.id;

test('changes are readable, link to targets that still exist, and tell how the author signed in', async () => {
  const who = await server.user('clerk');
  const source = await who.source('Orders', CODE);
  const hook = idOf(await who.post('/webhooks', { url: 'https://example.com/in', name: 'Short-lived' }));
  await server.call('DELETE', `/webhooks/${hook}`, undefined, who.key);
  const page = await signedIn(browser, who, '/audit');
  const errors = pageErrors(page);

  const created = rows(page, 'Created source Orders');
  await created.getByText('API key').waitFor();
  await created.getByText('127.0.0.1').waitFor();
  expect(await created.getByRole('link', { name: 'Orders', exact: true }).getAttribute('href')).toBe(
    `/sources/${source.id}`,
  );
  const deleted = rows(page, 'Deleted webhook');
  await deleted.getByText('Short-lived').waitFor();
  expect(await deleted.getByRole('link', { name: 'Short-lived', exact: true }).count()).toBe(0);
  await rows(page, 'Signed in').first().waitFor();

  // A change in the console appears without a reload.
  await page.evaluate(async (id) => {
    const headers = { 'content-type': 'application/json', 'x-sluice-console': '1' };
    await fetch(`/v1/sources/${id}`, { method: 'PUT', headers, body: JSON.stringify({ name: 'Renamed' }) });
  }, source.id);
  const updated = rows(page, 'Updated source');
  await updated.getByText('Console').waitFor({ timeout: 20_000 });
  await updated.getByText('Fields: name').waitFor();
  await created.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.getByRole('heading', { name: 'Renamed' }).waitFor();
  expect(errors).toEqual([]);
});

test('filters are in the URL, can be removed, and lead to an empty state', async () => {
  const who = await server.user('auditor');
  for (const name of ['First', 'Second']) await who.source(name, CODE);
  const hook = await webhook(who, 'Order desk', 'https://example.com/in');
  const page = await signedIn(browser, who, '/audit');
  await rows(page, 'Created source First').waitFor();

  await page.getByLabel('Action').selectOption('Webhooks');
  await rows(page, 'First').waitFor({ state: 'detached' });
  expect(page.url()).toContain('action=webhook');
  await page.reload();
  await rows(page, 'Order desk').first().waitFor();
  await page.getByRole('link', { name: 'Only changes of Order desk' }).first().click();
  await expect.poll(() => page.url()).toContain(`target=${hook}`);
  await page.getByLabel('Action').selectOption('All actions');
  await page.getByRole('link', { name: 'Remove filter: Target Order desk' }).click();
  await rows(page, 'First').waitFor();

  await page.getByLabel('Search author, target or address').fill('SECOND');
  await rows(page, 'First').waitFor({ state: 'detached' });
  await rows(page, 'Created source Second').waitFor();
  expect(page.url()).toContain('q=SECOND');
  await page.getByLabel('Time', { exact: true }).selectOption('Last hour');
  await rows(page, 'Created source Second').waitFor();
  expect(page.url()).toContain('range=1h');
  await page.goto(`${page.url()}&actor=somebody`);
  await page.getByText('No matching entries').waitFor();
  await page.getByRole('link', { name: 'Show all' }).click();
  await rows(page, 'Created source First').waitFor();
  await page.getByRole('link', { name: 'operator', exact: true }).click();
  await rows(page, 'Created user').waitFor();
  await rows(page, 'Created source First').waitFor({ state: 'detached' });
});

test('a long log has pages', async () => {
  const who = await server.user('busy');
  for (let n = 0; n < 60; n += 1) await who.post('/webhooks', { url: 'https://example.com/in', name: `Hook ${n}` });
  const page = await signedIn(browser, who, '/audit?action=webhook');
  await rows(page, 'Hook 59').waitFor();
  const pages = page.getByRole('navigation', { name: 'Pages of the audit log' });
  await pages.getByText('1–50 of 60').waitFor();
  await pages.getByRole('button', { name: 'Older' }).click();
  await rows(page, 'Hook 9').first().waitFor();
  await pages.getByText('51–60 of 60').waitFor();
  await pages.getByRole('button', { name: 'Newer' }).click();
  await rows(page, 'Hook 59').waitFor();
});

test('operators see all accounts, one account, or their own', async () => {
  const who = await server.user('grace');
  await who.source('Of Grace', CODE);
  const operator = new Person(server, server.key);
  const page = await signedIn(browser, operator, '/audit');
  await rows(page, 'Of Grace').waitFor();
  const created = rows(page, 'Created user').filter({ hasText: 'grace' });
  expect(await created.getByRole('link', { name: 'grace', exact: true }).getAttribute('href')).toBe('/users?q=grace');
  await page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Your account' }).click();
  await rows(page, 'Of Grace').waitFor({ state: 'detached' });
  await page.goto(`${server.url}/users?q=grace`);
  await page.getByRole('link', { name: 'Audit log of grace' }).click();
  await rows(page, 'Of Grace').waitFor();
  await page.getByRole('link', { name: 'Remove filter: Account grace' }).click();
  await expect.poll(() => page.url()).not.toContain('user=');
  await rows(page, 'Of Grace').waitFor();
});

test('other users see their own account only', async () => {
  await (await server.user('neighbour')).source('Of the neighbour', CODE);
  const who = await server.user('alone');
  const page = await signedIn(browser, who, '/audit?account=all');
  await rows(page, 'Created user alone').waitFor();
  expect(await rows(page, 'Of the neighbour').count()).toBe(0);
  expect(await page.getByRole('navigation', { name: 'Account', exact: true }).count()).toBe(0);
});

test('the audit log has no serious accessibility violations in light and dark, and fits a narrow screen', async () => {
  const own = await Server.start();
  try {
    const who = await own.user('narrow');
    await who.source('A source with a name that is much longer than the column that it is shown in', CODE);
    const key = await who.post<{ data: { api_key: string } }>('/users/me/keys', { name: 'ci', scopes: ['deploy'] });
    await own.call('POST', '/webhooks', { url: 'https://example.com/x' }, key.data.api_key);
    const page = await signedIn(browser, who, '/audit?target=u_x&action=webhook.create');
    await page.getByText('No matching entries').waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.goto(`${own.url}/audit`);
    await rows(page, 'Named key ci').first().waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.reload();
    await rows(page, 'Named key ci').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  } finally {
    await own.stop();
  }
});
