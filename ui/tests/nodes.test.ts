import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { seriousViolations, violationsInBothSchemes } from './harness/accessibility';
import { type Look, pageErrors, signedIn } from './harness/browser';
import { type Json, Person } from './harness/server';
import { browser, ownStage, server } from './harness/stage';

ownStage('--node-name', 'north');

let operator: Person;
beforeAll(async () => {
  operator = new Person(server, server.key);
});

const node = (name: string, changes: Json = {}): Json => ({
  name,
  incarnation: `${name}-9f86d081884c7d65`,
  state: 'active',
  current: false,
  version: '0.1.0',
  address: '10.0.0.7:41822',
  public_url: 'https://sluice.example.com',
  started_at: Date.now() - 3 * 3_600_000,
  lease_left_ms: 2_640,
  ...changes,
});
const LOST = { state: 'lost', lease_left_ms: 0 };

/** The page with a list of nodes, which the test may change. A real server on SQLite has no other nodes. */
async function withNodes(nodes: Json[], look?: Look): Promise<Page> {
  const page = await signedIn(browser, operator, '/', look);
  await page.route('**/v1/cluster', (route) => route.fulfill({ json: { data: nodes } }));
  await page.goto(`${server.url}/nodes`);
  return page;
}
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: `${name}-9f86d081884c7d65` });

test('a server on SQLite is one node with its own database', async () => {
  const page = await signedIn(browser, operator, '/nodes');
  const errors = pageErrors(page);
  await page.getByText('This server has its own database.').waitFor();
  await page.getByText('north', { exact: true }).waitFor();
  await page.getByText('Active', { exact: true }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  expect(errors).toEqual([]);
});

test('the nodes of a shared database are listed with state, version, address and lease', async () => {
  const page = await withNodes([
    node('south', LOST),
    node('east', { state: 'draining', version: '0.2.0' }),
    node('north', { current: true }),
    node('west', { state: 'stopped', lease_left_ms: 0 }),
  ]);
  const north = row(page, 'north');
  for (const text of ['connected', 'Active', '0.1.0', '10.0.0.7:41822', '2.6 s left', '3h ago'])
    await north.getByText(text).waitFor();
  await row(page, 'south').getByText('Lost', { exact: true }).waitFor();
  await row(page, 'south').getByText('none').waitFor();
  await row(page, 'east').getByText('Draining', { exact: true }).waitFor();
  await row(page, 'west').getByText('Stopped', { exact: true }).waitFor();
  await page.getByText('south has lost its lease').waitFor();
  await page.getByText('Nodes run different versions').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
});

test('the list is refreshed without a reload', async () => {
  const nodes = [node('north', { current: true })];
  const page = await withNodes(nodes);
  await page.getByText('To add a node').waitFor();
  nodes.push(node('south'));
  await row(page, 'south').getByText('Active').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  nodes[1] = node('south', LOST);
  await page.getByRole('alert').getByText('Active nodes take over its sources and workflows.').waitFor();
});

test('a connected node without a lease says that its list is old', async () => {
  const page = await withNodes([node('north', { current: true, ...LOST }), node('south')]);
  await page.getByText('north, which answers this page, has lost its lease').waitFor();
  await page.getByText('The list below is from its last heartbeat.').waitFor();
});

test('an error is shown above the last list, and disappears by itself', async () => {
  const page = await withNodes([node('north', { current: true }), node('south')]);
  await row(page, 'south').waitFor();
  const error = { error: 'the database is not available' };
  await page.route('**/v1/cluster', (route) => route.fulfill({ status: 503, json: error }), { times: 3 });
  await page.getByText('The database is not available').waitFor();
  await row(page, 'south').waitFor();
  await page.getByText('The database is not available').waitFor({ state: 'detached' });
});

test('the page fits a narrow screen', async () => {
  const long = 'a-node-with-a-long-name.in-a-long-domain.internal.example.com';
  const nodes = [node('north', { current: true }), node(long, { address: `${long}:41822`, ...LOST })];
  const page = await withNodes(nodes, { width: 390 });
  await row(page, 'north').getByText('2.6 s left').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await seriousViolations(page)).toEqual([]);
});

test('other users see that the page is for operators only', async () => {
  const who = await server.user('guest');
  const page = await signedIn(browser, who, '/nodes');
  await page.getByText('Operators only').waitFor();
  expect(await page.getByRole('navigation', { name: 'Console' }).getByText('Nodes').count()).toBe(0);
  await page.getByRole('link', { name: 'Open overview' }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe('/');
});
