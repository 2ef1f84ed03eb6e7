import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { clipboard, expectToast } from './harness/recording';
import { Person, Server } from './harness/server';
import { type SmallServer, smallServer } from './harness/small-server';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, reached, run, step } from './harness/workflows';

stage();

let provider: SmallServer;
let operator: Person;
const RIGHT_CLIENT = 'right';

beforeAll(async () => {
  provider = await smallServer(answerAsProvider);
  operator = new Person(server, server.key);
  const component = (type: string, name: string) => `const discord = { type: "app", app: "discord" };
    export default { name: "${name}", key: "discord-${type}", version: "0.2.0", type: "${type}", description: "Of **Discord**.",
      props: { discord, text: { type: "string", label: "Text" } }, async run() {} };`;
  await operator.post('/components/registry', { component_code: component('source', 'Message arrived') });
  await operator.post('/components/registry', { component_code: component('action', 'Send message') });
});
afterAll(() => provider?.close());

/** Rejects each client but one, and a scope. */
function answerAsProvider(request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'http://provider');
  if (url.pathname === '/token') {
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ access_token: 'fresh', token_type: 'bearer', refresh_token: 'again' }));
  }
  const back = new URL(url.searchParams.get('redirect_uri') ?? '');
  back.searchParams.set('state', url.searchParams.get('state') ?? '');
  if (url.searchParams.get('client_id') !== RIGHT_CLIENT) back.searchParams.set('error', 'unauthorized_client');
  else if (url.searchParams.get('scope')?.includes('cake')) {
    back.searchParams.set('error', 'invalid_scope');
    back.searchParams.set('error_description', 'No cake for you');
  } else back.searchParams.set('code', 'agreed');
  return response.writeHead(302, { location: String(back) }).end();
}

test('all apps are listed with icons, found by name and filtered by their components', async () => {
  const page = await signedIn(browser, await server.user('finder'), '/apps');
  const errors = pageErrors(page);
  const apps = page.getByRole('list', { name: 'Apps' });
  await apps.getByRole('link', { name: /^GitHub/ }).waitFor();
  expect(await page.getByRole('status').first().textContent()).toMatch(/^\d,\d{3} apps$/);
  expect(await page.getByRole('button', { name: 'Register app' }).count()).toBe(0);
  await page.getByRole('link', { name: 'With actions' }).click();
  await page.waitForURL(/has=actions/);
  await expect.poll(() => apps.getByRole('link', { name: /^Gmail/ }).count()).toBe(0);
  await apps.getByRole('link', { name: 'Discord 1 source, 1 action' }).waitFor();
  await page.getByRole('link', { name: 'All', exact: true }).click();

  await page.getByLabel('Search apps').fill('no such app anywhere');
  await page.getByText('No matching apps').waitFor();
  await page.getByRole('button', { name: 'Show all apps' }).click();
  await page.getByLabel('Search apps').fill('discord');
  await page.waitForURL(/q=discord/);
  await expect.poll(() => apps.getByRole('link', { name: /^GitHub/ }).count()).toBe(0);
  await page.getByLabel('Search apps').press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Discord' }).waitFor();
  expect(errors).toEqual([]);
});

test('an icon that fails to load is replaced by letters', async () => {
  const page = await signedIn(browser, await server.user('letters'), '/accounts');
  await page.route('**/app-icons/discord.svg', (route) => route.fulfill({ status: 404 }));
  await page.goto(`${server.url}/apps/discord`);
  await page.locator('.letters').getByText('D', { exact: true }).waitFor();
  expect(await page.getByRole('main').locator('img').count()).toBe(0);
});

test('the page of an app has its sources, its actions and the accounts of the user', async () => {
  const who = await server.user('visitor');
  const page = await signedIn(browser, who, '/apps/discord');
  await page.getByText('No Discord accounts yet.').waitFor();
  expect(await page.getByText('OAuth client').count()).toBe(0);
  const source = page.getByRole('list', { name: 'Sources' }).getByRole('link', { name: /Message arrived/ });
  expect(await source.getAttribute('href')).toBe('/sources/new?from=registry&key=discord-source');
  await source.getByText('Deploy').waitFor();

  await page.getByRole('button', { name: 'Connect account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Account name').fill('Guild');
  await dialog.getByLabel('Access token').fill('t-1');
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  const row = page.getByRole('row', { name: /Guild/ });
  await row.getByText('Not renewable: paste a new token when it expires.').waitFor();
  const { data } = await who.get<{ data: { id: string }[] }>('/accounts');

  await page.getByRole('link', { name: /Send message/ }).click();
  await page.waitForURL(/\/workflows\/new\?action=discord-action/);
  const document = page.getByRole('textbox', { name: 'Workflow document' });
  await document.getByText('discord-action').waitFor();
  expect(await document.textContent()).toContain(`discord: { authProvisionId: ${data[0]?.id} }`);
  await page.getByRole('button', { name: 'Deploy' }).click();
  await page.getByRole('heading', { level: 1, name: 'Send message' }).waitFor();

  await page.goto(`${server.url}/apps/no_such_app`);
  await page.getByText('This app does not exist').waitFor();
});

test('an action is chosen by app and added to a document', async () => {
  const page = await signedIn(browser, await server.user('adder'), '/workflows/new');
  await page.getByRole('button', { name: 'Add step', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Discord/ }).click();
  await dialog.getByRole('button', { name: /Send message/ }).click();
  await dialog.waitFor({ state: 'hidden' });
  const document = page.getByRole('textbox', { name: 'Workflow document' });
  await document.getByText('- name: send_message').waitFor();
  await document.getByText('action: discord-action').waitFor();
  await document.getByText('# an account of discord').waitFor();
});

test('the operator sets up an OAuth client, tests it, and learns what the provider rejected', async () => {
  await operator.post('/apps', {
    name_slug: 'oven',
    name: 'Oven',
    auth_type: 'oauth',
    oauth: {
      authorization_url: `${provider.url}/authorize`,
      token_url: `${provider.url}/token`,
      client_id: 'wrong',
      client_secret: 's',
      scopes: ['bread', 'cake'],
      developer_url: 'https://oven.example/developers',
    },
  });
  const page = await signedIn(browser, operator, '/apps/oven');
  const panel = page.getByRole('region', { name: 'OAuth client' });
  const link = panel.getByRole('link', { name: 'Open the developer page of Oven' });
  expect(await link.getAttribute('href')).toBe('https://oven.example/developers');
  await panel.getByRole('button', { name: 'Copy redirect URI' }).click();
  await clipboard(page).toBe(`${server.url}/oauth/callback`);

  await panel.getByRole('button', { name: 'Test client' }).click();
  await panel.getByText(/Allow the authorization code grant for it at Oven/).waitFor();
  await panel.getByText('Oven did not connect the account: unauthorized_client').waitFor();

  expect(await panel.getByLabel('Client ID').inputValue()).toBe('wrong');
  await panel.getByLabel('Client ID').fill(RIGHT_CLIENT);
  await panel.getByLabel('Client secret').fill('new secret');
  await panel.getByRole('button', { name: 'Save client' }).click();
  await expectToast(page, 'Client of Oven saved');
  expect(await panel.getByLabel('Client secret').inputValue()).toBe('');
  await panel.getByRole('button', { name: 'Test client' }).click();
  await panel.getByText(/Allow the scopes there, or remove them here: bread cake/).waitFor();
  await panel.getByText(/No cake for you/).waitFor();

  await panel.getByLabel('Scopes').fill('bread');
  await panel.getByRole('button', { name: 'Save client' }).click();
  await expectToast(page, 'Client of Oven saved');
  await panel.getByRole('button', { name: 'Test client' }).click();
  await panel.getByText('The client works. Oven granted access, and the account Oven was connected.').waitFor();
  await page.getByRole('row', { name: /Oven/ }).getByText('Healthy').waitFor();
  expect(await page.getByText(/Not renewable/).count()).toBe(0);
});

test('the connect dialog takes the operator to the client of an app', async () => {
  const page = await signedIn(browser, operator, '/accounts');
  await page.getByRole('button', { name: 'Connect account' }).first().click();
  await page.getByRole('dialog').getByLabel('Search apps').fill('notion');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Notion/ })
    .first()
    .click();
  await page.getByRole('dialog').getByRole('link', { name: 'Set up the client' }).click();
  await page.getByRole('heading', { level: 1, name: 'Notion' }).waitFor();
  await page.getByRole('region', { name: 'OAuth client' }).getByText('Not set up').waitFor();
});

test('the operator registers, edits and removes apps with keys and with OAuth', async () => {
  const page = await signedIn(browser, operator, '/apps');
  await page.getByRole('button', { name: 'Register app' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Slug').fill('garden');
  await dialog.getByLabel('Authentication').selectOption({ label: 'OAuth 2' });
  await dialog.getByLabel('Authorization URL').fill('nonsense');
  await dialog.getByRole('button', { name: 'Register', exact: true }).click();
  await dialog.getByText(/oauth.authorization_url must be an http or https address/).waitFor();
  await dialog.getByLabel('Authorization URL').fill('https://garden.example/authorize');
  await dialog.getByLabel('Token URL').fill('https://garden.example/token');
  await dialog.getByLabel('Client ID').fill('c');
  await dialog.getByLabel('Client secret').fill('s');
  await dialog.getByRole('textbox', { name: 'Scopes', exact: false }).first().fill('read write');
  await dialog.getByRole('button', { name: 'Register', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'garden' }).waitFor();
  await page.getByText('Set up', { exact: true }).waitFor();

  await page.goto(`${server.url}/apps`);
  await page.getByRole('button', { name: 'Register app' }).click();
  await dialog.getByLabel('Slug').fill('shed');
  await dialog.getByLabel('Label of field 1').fill('Key of the shed');
  await dialog.getByRole('button', { name: 'Register', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'shed' }).waitFor();
  const { data } = await operator.get<{ data: { custom_fields_json: string } }>('/apps/shed');
  expect(JSON.parse(data.custom_fields_json)).toMatchObject([
    { name: 'api_key', label: 'Key of the shed', type: 'password' },
  ]);

  await page.getByRole('button', { name: 'Edit app' }).click();
  await dialog.getByLabel('Description').first().fill('Tools of the garden');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Tools of the garden').waitFor();

  await page.getByRole('button', { name: 'Remove app' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.waitForURL(`${server.url}/apps`);
  await expectToast(page, 'shed removed');
});

test('the redirect URI and the icons work with another public URL', async () => {
  const own = await Server.start('--public-url', 'http://hooks.example:8080');
  try {
    const page = await signedIn(browser, new Person(own, own.key), '/apps/github');
    await page
      .getByRole('region', { name: 'OAuth client' })
      .getByText('http://hooks.example:8080/oauth/callback')
      .waitFor();
    const icon = page.getByRole('main').locator('img').first();
    await expect.poll(() => icon.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Edit app' }).click();
    await page.getByRole('dialog').getByText('http://hooks.example:8080/oauth/callback').waitFor();
  } finally {
    await own.stop();
  }
});

test('sources, steps and the flow map show the icons of their apps', async () => {
  const who = await server.user('iconic');
  const { data: account } = await who.post<{ data: { id: string } }>('/accounts', {
    app: 'discord',
    credentials: { oauth_access_token: 't' },
  });
  const props = { discord: { authProvisionId: account.id }, text: 'a' };
  const body = { key: 'discord-source', name: 'Guild messages', configured_props: props };
  const { data: source } = await who.post<{ data: { id: string } }>('/sources', body);
  await who.source('Own code', 'export default { name: "Own", version: "0.0.1", async run() {} };');
  const send = `  - name: send\n    action: discord-action\n    props:\n      discord: { authProvisionId: ${account.id} }\n      text: a\n`;
  // A component of another user, without an account.
  const quiet =
    'export default { name: "Quiet", key: "discord-quiet", version: "0.0.1", type: "action", async run() {} };';
  await operator.post('/components/registry', { component_code: quiet });
  const hush = '  - name: hush\n    action: discord-quiet\n';
  const workflow = await deploy(who, documentOf('Chat', [send, hush, step('note', 'return 1;')]));
  await server.call('DELETE', '/components/registry/discord-quiet');
  const id = await run(who, workflow.id);
  await reached(who, workflow.id, id, 'succeeded');

  const page = await signedIn(browser, who, '/sources');
  const icon = 'img[src="/app-icons/discord.svg"]';
  await page.getByRole('listitem').filter({ hasText: 'Guild messages' }).locator(icon).waitFor();
  expect(await page.getByRole('listitem').filter({ hasText: 'Own code' }).locator('img').count()).toBe(0);
  await page.goto(`${server.url}/sources/${source.id}`);
  await page.getByRole('main').locator(icon).first().waitFor();
  await page.goto(`${server.url}/workflows/${workflow.id}/runs/${id}`);
  const timeline = page.getByRole('list', { name: 'Timeline' });
  await timeline.getByRole('button', { name: /send/ }).locator(icon).waitFor();
  await timeline.getByRole('button', { name: /hush/ }).locator(icon).waitFor();
  expect(await timeline.getByRole('button', { name: /note/ }).locator('img').count()).toBe(0);
  for (const view of ['map', 'list']) {
    await page.goto(`${server.url}/flow?view=${view}`);
    await page
      .getByRole('link', { name: /Guild messages/ })
      .locator(icon)
      .waitFor();
  }
});

test('the pages have no serious accessibility violations in light and dark and on a narrow screen', async () => {
  const page = await signedIn(browser, operator, '/apps');
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of [
      '/apps',
      '/apps/discord',
      '/apps/zendesk',
      '/sources/new?app=discord',
      '/sources/new?q=message',
    ]) {
      await page.goto(`${server.url}${path}`);
      await page
        .getByText(/Discord|Zendesk|Message/)
        .first()
        .waitFor();
      expect(await violationsInBothSchemes(page)).toEqual([]);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
      ).toBe(0);
    }
    await page.goto(`${server.url}/apps`);
    await page.getByRole('button', { name: 'Register app' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.goto(`${server.url}/workflows/new`);
    if (width < 992) await page.getByRole('button', { name: 'Outline', exact: true }).click();
    await page.getByRole('button', { name: 'Add step', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Discord/ })
      .waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
  }
});
