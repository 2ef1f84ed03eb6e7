import { expect, test } from 'vitest';
import { seriousViolations, violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { echo } from './harness/receiver';
import { clipboard } from './harness/recording';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, reached, run, step } from './harness/workflows';

stage();

const NOTHING = step('nothing', 'return 1;');
const FAILS = step('fails', 'throw new Error("no luck");');

test('without workflows the page links to a new one', async () => {
  const page = await signedIn(browser, await server.user('wf-none'), '/workflows');
  await page.getByText('No workflows yet').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'New workflow' }).first().click();
  await page.getByRole('heading', { name: 'New workflow' }).waitFor();
});

test('the list shows triggers, state and last run, and its search is in the URL', async () => {
  const who = await server.user('wf-list');
  const fine = await deploy(
    who,
    documentOf('Nightly report', [NOTHING], 'triggers:\n  - schedule: { cron: "0 3 1 1 *" }\n'),
  );
  const bad = await deploy(who, documentOf('Order intake', [FAILS], 'triggers:\n  - http: {}\n'));
  await reached(who, bad.id, await run(who, bad.id), 'failed');
  await who.put(`/workflows/${fine.id}`, { active: false });

  const page = await signedIn(browser, who, '/workflows');
  const errors = pageErrors(page);
  const failing = page.getByRole('row').filter({ hasText: 'Order intake' });
  await failing.getByText('Failing').waitFor();
  await failing.getByText('HTTP').waitFor();
  await failing.getByRole('img', { name: '1 run in the last 24 hours, 1 failed' }).waitFor();
  await failing.getByRole('link', { name: 'failed' }).waitFor();
  const inactive = page.getByRole('row').filter({ hasText: 'Nightly report' });
  await inactive.getByText('0 3 1 1 *').waitFor();
  await inactive.getByText('Inactive', { exact: true }).waitFor();
  await inactive.getByText('Never').waitFor();

  await page.getByRole('searchbox', { name: 'Search by name' }).fill('ORDER');
  await inactive.waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('q')).toBe('ORDER');
  await page.goto(`${server.url}/workflows?state=inactive`);
  await inactive.waitFor();
  expect(await failing.count()).toBe(0);
  await page.getByRole('navigation', { name: 'State' }).getByRole('link', { name: 'Failing' }).click();
  await failing.waitFor();
  expect(errors).toEqual([]);
});

test('the list shows the source that triggers a workflow', async () => {
  const who = await server.user('wf-listens');
  const source = await echo(who, 'Orders of the shop');
  const head = `triggers:\n  - events: { from: "${source.id}", event_name: "paid" }\n`;
  await deploy(who, documentOf('Packer', [NOTHING], head));
  const page = await signedIn(browser, who, '/workflows');
  const row = page.getByRole('row').filter({ hasText: 'Packer' });
  await row.getByText('· paid').waitFor();
  await row.getByRole('link', { name: 'Orders of the shop' }).click();
  await page.waitForURL(`**/sources/${source.id}`);
});

test('the list of workflows is updated live', async () => {
  const who = await server.user('wf-live');
  const { id } = await deploy(who, documentOf('Busy', [NOTHING]));
  const page = await signedIn(browser, who, '/workflows');
  await page.getByText('Never').waitFor();
  const counted = page.getByRole('img', { name: /^[1-9]\d* runs? in the last 24 hours/ });
  const startRun = async () => {
    await run(who, id);
    return counted.count();
  };
  await expect.poll(startRun, { timeout: 30_000, interval: 1_000 }).toBe(1);
  await page.getByRole('link', { name: /succeeded|running|queued/ }).waitFor();
});

test('a long list is paginated', async () => {
  const who = await server.user('wf-pages');
  const make = (number: number) => deploy(who, documentOf(`Flow ${number}`, [NOTHING]));
  // The oldest two are on the second page.
  for (const number of [1, 2]) await make(number);
  await Promise.all(Array.from({ length: 25 }, (_, index) => make(index + 3)));
  const page = await signedIn(browser, who, '/workflows');
  await page.getByText('1–25 of 27').waitFor();
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByRole('link', { name: 'Flow 1', exact: true }).waitFor();
  await page.getByText('26–27 of 27').waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Flow 27' }).waitFor();
});

test('a workflow shows its triggers with a curl command, is deactivated and activated, and is deleted after confirmation', async () => {
  const who = await server.user('wf-one');
  const head = 'triggers:\n  - http: {}\n  - schedule: { cron: "0 9 * * *" }\n  - events: { from: "dc_*" }\n';
  const { id } = await deploy(who, documentOf('Greeter', [NOTHING], head));
  const page = await signedIn(browser, who, `/workflows/${id}`);
  const triggers = page.getByRole('list', { name: 'Triggers' });
  await triggers.getByText('Events from all sources').waitFor();
  await triggers.getByText(/next in/).waitFor();
  const endpoints = page.getByRole('list', { name: 'Endpoints' });
  await endpoints.getByRole('button', { name: 'Copy endpoint URL' }).click();
  await clipboard(page).toMatch(/^http:\/\/[\d.:]+\/e\/\w+$/);
  await endpoints.getByRole('button', { name: 'Copy as curl' }).click();
  await clipboard(page).toMatch(/^curl -X POST 'http:\/\/[\d.:]+\/e\/\w+'/);

  await page.getByRole('switch', { name: 'Active', checked: true }).click();
  await page.getByRole('switch', { name: 'Active', checked: false }).waitFor();
  expect((await who.get<{ data: { active: boolean } }>(`/workflows/${id}`)).data.active).toBe(false);
  await page.getByRole('switch', { name: 'Active', checked: false }).click();
  await page.getByRole('switch', { name: 'Active', checked: true }).waitFor();

  await page.getByRole('button', { name: 'Delete workflow' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete workflow' }).click();
  await page.getByText('No workflows yet').waitFor();
  await expect(who.get(`/workflows/${id}`)).rejects.toThrow('404');
});

test('a missing workflow shows a not-found page', async () => {
  const page = await signedIn(browser, await server.user('wf-missing'), '/workflows/p_nothing');
  await page.getByText('This workflow does not exist').waitFor();
});

test('a failing workflow links to its failed runs', async () => {
  const who = await server.user('wf-failing');
  const { id } = await deploy(who, documentOf('Order intake', [FAILS]));
  await reached(who, id, await run(who, id), 'failed');
  const page = await signedIn(browser, who, `/workflows/${id}`);
  await page.getByRole('main').getByText('Failing', { exact: true }).waitFor();
  await page.getByRole('link', { name: '1 failed run in 24 hours' }).click();
  await page.waitForURL(`**/workflows/${id}?state=failed`);
  await page.getByRole('table').getByText('fails: no luck').waitFor();
});

test('a workflow deleted elsewhere is detected', async () => {
  const who = await server.user('wf-gone');
  const { id } = await deploy(who, documentOf('Short-lived', [NOTHING]));
  const page = await signedIn(browser, who, `/workflows/${id}`);
  await page.getByText('No runs yet').waitFor();
  await server.call('DELETE', `/workflows/${id}`, undefined, who.key);
  await page.getByRole('switch', { name: 'Active', checked: true }).click();
  await page.getByText('This workflow does not exist').waitFor();
  await page.getByRole('link', { name: 'All workflows' }).click();
  await page.getByText('No workflows yet').waitFor();
});

test('names are shown as text', async () => {
  const who = await server.user('wf-hostile');
  const { id } = await deploy(
    who,
    documentOf(`'<img src=x onerror=alert(1)> \u202Egnp.exe'`, [NOTHING], 'description: <script>alert(2)</script>\n'),
  );
  const page = await signedIn(browser, who, `/workflows/${id}`);
  await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor();
  await page.getByText('<script>alert(2)</script>').waitFor();
  expect(await page.locator('main img').count()).toBe(0);
});

test('emitted events are listed by channel, with errors separate', async () => {
  const who = await server.user('wf-events');
  const emits = step(
    'emits',
    '$.send.emit({ order: 7 }, "orders");\nif (steps.trigger.event.fail) throw new Error("no luck");',
  );
  const { id } = await deploy(who, documentOf('Emitter', [emits]));
  await reached(who, id, await run(who, id), 'succeeded');
  await reached(who, id, await run(who, id, { fail: true }), 'failed');
  const count = async () => (await who.get<{ data: unknown[] }>(`/workflows/${id}/event_summaries`)).data.length;
  await expect.poll(count, { timeout: 20_000 }).toBe(2);

  const page = await signedIn(browser, who, `/workflows/${id}/events`);
  await page
    .getByRole('button', { name: /orders/ })
    .first()
    .click();
  await page.getByText('"order"').first().waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByLabel('Channel').selectOption('$errors');
  await page.getByRole('button', { name: /no luck/ }).waitFor();
  expect(new URL(page.url()).searchParams.get('channel')).toBe('$errors');
  expect(await page.getByRole('button', { name: /orders/ }).count()).toBe(0);
});

test('fields of emitted events are columns, also of large events', async () => {
  const who = await server.user('wf-columns');
  const emits = step(
    'emits',
    '$.send.emit({ order: { id: 7 }, paid: true });\n$.send.emit({ text: "long ".repeat(1000), order: { id: 8 } });',
  );
  const { id } = await deploy(who, documentOf('Columns', [emits]));
  await reached(who, id, await run(who, id), 'succeeded');
  const count = async () => (await who.get<{ data: unknown[] }>(`/workflows/${id}/event_summaries`)).data.length;
  await expect.poll(count, { timeout: 20_000 }).toBe(2);
  const page = await signedIn(browser, who, `/workflows/${id}/events`);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'raw_event.order.id' }).check();
  const cells = page.getByRole('main').getByTitle('raw_event.order.id');
  await expect.poll(async () => (await cells.allTextContents()).toSorted()).toEqual(['7', '8']);
  expect(new URL(page.url()).searchParams.get('columns')).toBe('raw_event.order.id');
  expect(await seriousViolations(page)).toEqual([]);
  await page.reload();
  await expect.poll(() => cells.count()).toBe(2);
});

test('a large event is truncated in the list and complete when it is expanded', async () => {
  const who = await server.user('wf-large');
  const emits = step('emits', '$.send.emit({ order: 7, text: "long ".repeat(1000), end: "the-end" });');
  const { id } = await deploy(who, documentOf('Large', [emits]));
  await reached(who, id, await run(who, id), 'succeeded');
  const count = async () => (await who.get<{ data: unknown[] }>(`/workflows/${id}/event_summaries`)).data.length;
  await expect.poll(count, { timeout: 20_000 }).toBe(1);
  const page = await signedIn(browser, who, `/workflows/${id}/events`);
  const row = page.getByRole('button', { name: /^.*\{"order":7,"text":"long long/ });
  await row.click();
  await page.getByText('"the-end"').waitFor();
});

test('the list and one workflow have no serious accessibility violations in light and dark', async () => {
  const who = await server.user('wf-axe');
  const { id } = await deploy(
    who,
    documentOf('Order intake', [FAILS], 'description: Takes orders\ntriggers:\n  - http: {}\n'),
  );
  await reached(who, id, await run(who, id), 'failed');
  const page = await signedIn(browser, who, '/workflows');
  await page.locator('table').getByText('Failing', { exact: true }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.getByRole('link', { name: 'Order intake' }).click();
  await page.getByRole('table').getByText('failed', { exact: true }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
});

test('nothing exceeds a narrow screen', async () => {
  const who = await server.user('wf-narrow');
  const { id } = await deploy(
    who,
    documentOf(
      `A workflow with quite a long name ${'and more of it '.repeat(6)}`,
      [NOTHING],
      'triggers:\n  - http: {}\n',
    ),
  );
  await reached(who, id, await run(who, id), 'succeeded');
  const page = await signedIn(browser, who, '/workflows', { width: 390, height: 844 });
  const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await page.getByRole('link', { name: /quite a long name/ }).waitFor();
  expect(await beyond()).toBe(0);
  await page.getByRole('link', { name: /quite a long name/ }).click();
  await page.getByText('succeeded', { exact: true }).waitFor();
  expect(await beyond()).toBe(0);
});
