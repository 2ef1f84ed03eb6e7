import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousViolations, violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { echo, Receiver, webhook } from './harness/receiver';
import { browser, server, stage } from './harness/stage';

stage();

let receiver: Receiver;
beforeAll(async () => {
  receiver = await Receiver.start();
});
afterAll(() => receiver?.stop());

test('the map shows connections, and an edge is animated while events flow', async () => {
  const person = await server.user('cartographer');
  const orders = await echo(person, 'Orders');
  const chat = await webhook(person, 'Chat', receiver.url, orders.id);
  const page = await signedIn(browser, person, '/flow');
  const errors = pageErrors(page);
  const map = page.getByRole('group', { name: 'Map of 2 nodes and 1 connection' });
  await map.getByRole('link', { name: /Source Orders/ }).waitFor();
  await page.locator('.svelte-flow__edge').waitFor({ state: 'attached' });
  expect(await page.locator('[data-moving]').count()).toBe(0);

  // The stream sends only what happens while it is open.
  await expect
    .poll(
      async () => {
        await orders.send({ lamp: 'Anker' });
        const rates = await page.getByText(/^(<1|\d+)\/s$/).count();
        return { moving: await page.locator('[data-moving]').count(), rated: rates > 0 };
      },
      { interval: 500 },
    )
    .toEqual({ moving: 1, rated: true });
  await expect.poll(() => page.locator('[data-moving]').count(), { timeout: 20_000 }).toBe(0);

  await map.getByRole('link', { name: /Webhook Chat/ }).click();
  await page.waitForURL(`**/webhooks/${chat}`);
  expect(errors).toEqual([]);
});

test('a failing source and a failing webhook are highlighted', async () => {
  const person = await server.user('trouble');
  const broken = await person.source(
    'Leaky',
    `export default { name: 'Leaky', version: '0.0.1', props: { http: '$.interface.http' }, run() { throw new Error('leak'); } };`,
  );
  await person.post(`/sources/${broken.id}/run`);
  const source = await echo(person, 'Sender');
  const refusing = await Receiver.start();
  refusing.status = 500;
  await webhook(person, 'Closed', refusing.url, source.id);
  await source.send({});
  type Drawn = { data: { nodes: { name: string; errors: number }[] } };
  await expect
    .poll(
      async () => {
        const { data } = await person.get<Drawn>('/users/me/flow');
        return data.nodes.filter(({ errors }) => errors > 0).map(({ name }) => name);
      },
      { timeout: 20_000 },
    )
    .toEqual(expect.arrayContaining(['Leaky', 'Closed']));
  const page = await signedIn(browser, person, '/flow');
  await page.getByRole('link', { name: /Leaky.*1 error/ }).waitFor();
  await page.getByRole('link', { name: /Closed.*1 failed/ }).waitFor();
  expect(await page.locator('.failing').count()).toBe(2);
  await refusing.stop();
});

test('labels of crossing edges do not overlap', async () => {
  const person = await server.user('crossing');
  const sources = [await echo(person, 'North'), await echo(person, 'South')];
  for (const name of ['Harbour', 'Quay']) {
    const listener_id = await webhook(person, name, receiver.url, sources[0]?.id ?? '');
    for (const { id } of sources) {
      for (const event_name of ['arrivals', 'departures']) {
        await person.post('/subscriptions', { emitter_id: id, listener_id, event_name });
      }
    }
  }
  const page = await signedIn(browser, person, '/flow');
  const labels = page.locator('.flow-label');
  await expect.poll(() => labels.count()).toBe(4);
  const covered = await labels.evaluateAll((all) => {
    const boxes = all.map((label) => label.getBoundingClientRect());
    return boxes.some((one, index) =>
      boxes
        .slice(index + 1)
        .some((two) => one.left < two.right && two.left < one.right && one.top < two.bottom && two.top < one.bottom),
    );
  });
  expect(covered).toBe(false);
});

test('the map has a list view, a search and keyboard access', async () => {
  const person = await server.user('lister');
  const [one, two] = [await echo(person, 'North'), await echo(person, 'South')];
  await webhook(person, 'Harbour', receiver.url, one.id);
  await person.post('/subscriptions', { emitter_id: 'dc_*', listener_id: two.id, event_name: '$errors' });
  const page = await signedIn(browser, person, '/flow');
  await page.getByRole('button', { name: 'List' }).click();
  const table = page.getByRole('table');
  await table.getByRole('row', { name: /North.*default.*Harbour/ }).waitFor();
  await table.getByRole('row', { name: /All sources.*\$errors.*South/ }).waitFor();

  await page.getByRole('searchbox', { name: 'Search by name' }).fill('harb');
  await expect.poll(() => table.getByRole('row').count()).toBe(2);
  await page.getByRole('button', { name: 'Map' }).click();
  await page.getByRole('link', { name: /North/ }).waitFor();
  await page.getByRole('link', { name: /North/ }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/sources/${one.id}`);
});

test('an empty map explains its content', async () => {
  const page = await signedIn(browser, await server.user('empty'), '/flow');
  await page.getByRole('heading', { name: 'No sources yet' }).waitFor();
  expect(await seriousViolations(page)).toEqual([]);
});

test('the map has no serious accessibility violations in light and dark', async () => {
  const person = await server.user('drawn');
  const source = await echo(person, 'Drawn');
  await webhook(person, 'Shown', receiver.url, source.id);
  const page = await signedIn(browser, person, '/flow');
  await page.locator('.svelte-flow__edge').waitFor({ state: 'attached' });
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'List' }).click();
  await page.getByRole('table').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
});
