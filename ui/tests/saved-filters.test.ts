import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { Emitter } from './harness/emitter';
import { Keyboard } from './harness/keyboard';
import { expectToast } from './harness/recording';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, step } from './harness/workflows';

stage();

const toggleOf = (page: Page) => page.getByRole('button', { name: /^Filters/ });
const filtersOf = (page: Page) => page.getByRole('list', { name: 'Saved filters' });
const expectToggleFocused = (page: Page) =>
  expect.poll(() => toggleOf(page).evaluate((toggle) => toggle === document.activeElement)).toBe(true);
const parametersOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

test('a filter is saved, applied, renamed, replaced and deleted with the keyboard', async () => {
  const who = await server.user('filters');
  const source = await Emitter.deploy(who, 'Orders');
  await source.emit([{ total: 20 }, { summary: 'Small order' }], [{ total: 500 }, { summary: 'Large order' }]);
  await who.post('/saved_filters', { list: 'events', name: 'Taken', parameters: { q: 'none' } });
  await who.post('/saved_filters', { list: 'runs', name: 'Of runs', parameters: { q: 'none' } });
  const page = await signedIn(browser, who, `/sources/${source.id}?q=total:>100&range=24h&columns=total`);
  const errors = pageErrors(page);
  const keyboard = new Keyboard(page);
  await page.getByText('500').waitFor();

  await toggleOf(page).focus();
  await keyboard.press('Enter');
  await filtersOf(page).getByText('Taken').waitFor();
  expect(await page.getByText('Of runs').count()).toBe(0);
  await keyboard.tabTo('Save this filter');
  await keyboard.press('Enter');
  await keyboard.expectFocus({ name: 'Name' });
  await keyboard.type('Taken');
  await keyboard.press('Enter');
  await page.getByRole('dialog').getByText('Another filter of this list has the name').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await keyboard.replace('Large orders');
  await keyboard.press('Enter');
  await expectToast(page, 'Filter saved');
  await toggleOf(page).getByText('Large orders').waitFor();
  await keyboard.expectFocus({ name: 'Save this filter' });
  expect(await violationsInBothSchemes(page)).toEqual([]);

  await page.goto(`${server.url}/sources/${source.id}`);
  await page.getByText('Small order').waitFor();
  await toggleOf(page).focus();
  await keyboard.press('Enter');
  await keyboard.tabTo('Large orders');
  await keyboard.press('Enter');
  await expect.poll(() => parametersOf(page)).toEqual({ q: 'total:>100', range: '24h', columns: 'total' });
  await page.getByText('Small order').waitFor({ state: 'detached' });

  await keyboard.tabTo('Rename Large orders');
  await keyboard.press('Enter');
  await keyboard.expectFocus({ name: 'Name', value: 'Large orders' });
  await keyboard.replace('Over 100');
  await keyboard.press('Enter');
  await expectToast(page, 'Filter renamed');
  await toggleOf(page).getByText('Over 100').waitFor();

  await page.getByLabel('Search events').fill('total:>400');
  await filtersOf(page).getByRole('button', { name: 'Replace Over 100' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).press('Enter');
  await expectToast(page, 'Filter replaced');
  await expectToggleFocused(page);
  const { data } = await who.get<{ data: { name: string; parameters: object }[] }>('/saved_filters');
  expect(data.find(({ name }) => name === 'Over 100')?.parameters).toMatchObject({ q: 'total:>400', range: '24h' });

  await keyboard.tabTo('Delete Over 100');
  await keyboard.press('Enter');
  const confirmation = page.getByRole('dialog', { name: 'Delete the filter Over 100?' });
  await confirmation.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
  await filtersOf(page).getByText('Over 100').waitFor({ state: 'detached' });
  await expectToggleFocused(page);
  // The browser reports the refused name as an error.
  expect(errors.filter((error) => !error.includes('409'))).toEqual([]);
});

test('logs, runs and events of workflows have filters, too', async () => {
  const who = await server.user('filtered-lists');
  const source = await Emitter.deploy(who, 'Orders');
  const { id } = await deploy(who, documentOf('Orders', [step('look', 'return 1;')]));
  const lists: { path: string; filter: Record<string, string> }[] = [
    { path: `/sources/${source.id}/logs`, filter: { q: 'timeout', level: 'error' } },
    { path: `/workflows/${id}`, filter: { q: 'step:look', state: 'failed' } },
    { path: `/workflows/${id}/events`, filter: { q: 'total:>5', channel: '$errors' } },
  ];
  for (const { path, filter } of lists) {
    const page = await signedIn(browser, who, `${path}?${new URLSearchParams(filter)}`);
    const errors = pageErrors(page);
    await toggleOf(page).click();
    await page.getByText('No saved filters').waitFor();
    await page.getByRole('button', { name: 'Save this filter' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await toggleOf(page).getByText('Mine').waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.goto(`${server.url}${path}`);
    await toggleOf(page).click();
    await filtersOf(page).getByRole('button', { name: 'Mine', exact: true }).click();
    await expect.poll(() => parametersOf(page)).toEqual(filter);
    expect(errors).toEqual([]);
  }
});

test('an error of the saved filters is shown, and loading them is tried again', async () => {
  const who = await server.user('no-filters');
  const source = await Emitter.deploy(who, 'Orders');
  const page = await signedIn(browser, who, `/sources/${source.id}/logs?q=timeout`);
  await page.route('**/v1/saved_filters', (route) =>
    route.fulfill({ status: 500, json: { error: 'no filters today' } }),
  );
  await page.reload();
  await toggleOf(page).click();
  const alarm = page.getByRole('alert').filter({ hasText: 'No filters today' });
  await alarm.waitFor();
  await page.unroute('**/v1/saved_filters');
  await alarm.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('No saved filters').waitFor();
});
