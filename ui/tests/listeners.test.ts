import { expect, test } from 'vitest';
import { seriousFaults } from './harness/accessibility';
import { complaints, signedIn } from './harness/browser';
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

test('a webhook is found by name and subscribed to a channel, and the subscription can be ended', async () => {
  const who = await server.user('outward');
  const { id } = await who.source('Orders', QUIET);
  const hook = (
    await who.post<{ data: { id: string } }>('/webhooks', { url: 'http://127.0.0.1:9/x', name: 'Warehouse' })
  ).data;
  const page = await signedIn(browser, who, `/sources/${id}/listeners`);
  const heard = complaints(page);
  await page.getByText('Nobody listens yet').waitFor();
  await page.getByRole('button', { name: 'Add a listener' }).click();
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByText('Choose one of them.').waitFor();
  await page.getByLabel('Find a source, workflow or webhook').fill('wareh');
  await page.getByRole('radio', { name: 'Warehouse' }).check();
  await page.getByLabel('Channel').fill('$errors');
  await page.getByRole('button', { name: 'Subscribe' }).click();
  const listed = page.getByRole('list', { name: 'Who hears this source' });
  await listed.getByRole('link', { name: 'Warehouse' }).waitFor();
  await listed.getByText('Errors').waitFor();
  expect(await subscriptions(who)).toEqual([{ emitter_id: id, listener_id: hook.id, event_name: '$errors' }]);
  await listed.getByRole('button', { name: 'End the subscription' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
  await page.getByText('Nobody listens yet').waitFor();
  expect(await subscriptions(who)).toEqual([]);
  expect(heard).toEqual([]);
});

test('a source can hear another one, or all of them, and both ends show it', async () => {
  const who = await server.user('inward');
  const orders = await who.source('Orders', QUIET);
  const audit = await who.source('Audit', QUIET);
  const page = await signedIn(browser, who, `/sources/${audit.id}/listeners`);
  const hears = page.getByRole('list', { name: 'What this source hears' });
  for (const name of ['Orders', 'All sources']) {
    await page.getByRole('button', { name: 'Listen to something' }).click();
    await page.getByRole('radio', { name }).check();
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await hears.getByText(name).waitFor();
  }
  await hears.getByRole('link', { name: 'Orders' }).click();
  await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
  await page.getByRole('navigation', { name: 'Of this source' }).getByRole('link', { name: 'Listeners' }).click();
  await page.getByText('listens to all sources').waitFor();
  expect(await subscriptions(who)).toHaveLength(2);
  expect(new URL(page.url()).pathname).toBe(`/sources/${orders.id}/listeners`);
});

test('what a search has hidden is not subscribed to, and a dialog that was closed is forgotten', async () => {
  const who = await server.user('hidden');
  const { id } = await who.source('Orders', QUIET);
  await who.source('Audit', QUIET);
  const page = await signedIn(browser, who, `/sources/${id}/listeners`);
  await page.getByRole('button', { name: 'Add a listener' }).click();
  await page.getByRole('radio', { name: 'Audit' }).check();
  await page.getByLabel('Find a source, workflow or webhook').fill('ord');
  await page.getByRole('radio', { name: 'Audit' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.getByText('Choose one of them.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Listen to something' }).click();
  await page.getByRole('radio', { name: 'Audit' }).waitFor();
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
  expect(await page.getByText('Choose one of them.').count()).toBe(0);
  expect(await subscriptions(who)).toEqual([]);
});

test.each(['light', 'dark'] as const)(
  'listeners have no serious fault for those who cannot see it well, %s',
  async (colorScheme) => {
    const who = await server.user(`axe-listeners-${colorScheme}`);
    const orders = await who.source('Orders', QUIET);
    const audit = await who.source('Audit', QUIET);
    await who.post('/subscriptions', { emitter_id: orders.id, listener_id: audit.id });
    const page = await signedIn(browser, who, `/sources/${orders.id}/listeners`, { colorScheme });
    await page.getByRole('link', { name: 'Audit' }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add a listener' }).click();
    await page.getByRole('radio').first().waitFor();
    expect(await seriousFaults(page)).toEqual([]);
  },
);
