import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import type { Person } from './harness/server';
import { browser, server, stage } from './harness/stage';

stage();

const QUIET = `export default { name: 'Quiet', version: '1.0.0', run() {} }`;

type Row = { emitter_id: string; listener_id: string; event_name: string };
const subscriptions = async (who: Person) =>
  (await who.get<{ data: Row[] }>('/users/me/subscriptions')).data.map(({ emitter_id, listener_id, event_name }) => ({
    emitter_id,
    listener_id,
    event_name,
  }));

test('a webhook is found by name and subscribed to a channel, and the subscription can be deleted', async () => {
  const who = await server.user('outward');
  const { id } = await who.source('Orders', QUIET);
  const hook = (
    await who.post<{ data: { id: string } }>('/webhooks', { url: 'http://127.0.0.1:9/x', name: 'Warehouse' })
  ).data;
  const page = await signedIn(browser, who, `/sources/${id}/listeners`);
  const errors = pageErrors(page);
  await page.getByText('No listeners yet').waitFor();
  await page.getByRole('button', { name: 'Add listener' }).click();
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByText('Select an entry.').waitFor();
  await page.getByLabel('Search sources, workflows and webhooks').fill('wareh');
  await page.getByRole('radio', { name: 'Warehouse' }).check();
  await page.getByLabel('Channel').fill('$errors');
  await page.getByRole('button', { name: 'Subscribe' }).click();
  const listed = page.getByRole('list', { name: 'Listeners' });
  await listed.getByRole('link', { name: 'Warehouse' }).waitFor();
  await listed.getByText('Errors').waitFor();
  expect(await subscriptions(who)).toEqual([{ emitter_id: id, listener_id: hook.id, event_name: '$errors' }]);
  await listed.getByRole('button', { name: 'Delete subscription' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No listeners yet').waitFor();
  expect(await subscriptions(who)).toEqual([]);
  expect(errors).toEqual([]);
});

test('a source can subscribe to another one or to all, and both ends show it', async () => {
  const who = await server.user('inward');
  const orders = await who.source('Orders', QUIET);
  const audit = await who.source('Audit', QUIET);
  const page = await signedIn(browser, who, `/sources/${audit.id}/listeners`);
  const subscribed = page.getByRole('list', { name: 'Subscriptions' });
  for (const name of ['Orders', 'All sources']) {
    await page.getByRole('button', { name: 'Add subscription' }).click();
    await page.getByRole('radio', { name }).check();
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await subscribed.getByText(name).waitFor();
  }
  await subscribed.getByRole('link', { name: 'Orders' }).click();
  await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
  await page.getByRole('navigation', { name: 'Source views' }).getByRole('link', { name: 'Listeners' }).click();
  await page.getByText('subscribed to all sources').waitFor();
  expect(await subscriptions(who)).toHaveLength(2);
  expect(new URL(page.url()).pathname).toBe(`/sources/${orders.id}/listeners`);
});

test('a hidden entry is not subscribed to, and a closed dialog is reset', async () => {
  const who = await server.user('hidden');
  const { id } = await who.source('Orders', QUIET);
  await who.source('Audit', QUIET);
  const page = await signedIn(browser, who, `/sources/${id}/listeners`);
  await page.getByRole('button', { name: 'Add listener' }).click();
  await page.getByRole('radio', { name: 'Audit' }).check();
  await page.getByLabel('Search sources, workflows and webhooks').fill('ord');
  await page.getByRole('radio', { name: 'Audit' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByText('Select an entry.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Add subscription' }).click();
  await page.getByRole('radio', { name: 'Audit' }).waitFor();
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
  expect(await page.getByText('Select an entry.').count()).toBe(0);
  expect(await subscriptions(who)).toEqual([]);
});

test('the listeners page has no serious accessibility violations in light and dark', async () => {
  const who = await server.user('axe-listeners');
  const orders = await who.source('Orders', QUIET);
  const audit = await who.source('Audit', QUIET);
  await who.post('/subscriptions', { emitter_id: orders.id, listener_id: audit.id });
  const page = await signedIn(browser, who, `/sources/${orders.id}/listeners`);
  await page.getByRole('link', { name: 'Audit' }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Add listener' }).click();
  await page.getByRole('radio').first().waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
});
