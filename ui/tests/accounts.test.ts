import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { open, signedIn } from './harness/browser';
import { expectToast } from './harness/recording';
import { Person } from './harness/server';
import { type SmallServer, smallServer } from './harness/small-server';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf } from './harness/workflows';

stage();

let provider: SmallServer;
let operator: Person;

beforeAll(async () => {
  provider = await smallServer(answerAsProvider);
  operator = new Person(server, server.key);
  await operator.post('/apps', {
    name_slug: 'vault',
    name: 'Vault',
    description: 'Keeps **secrets**. ![Logo](https://vault.example/logo.png)',
    auth_type: 'keys',
    custom_fields: [
      {
        name: 'api_key',
        label: 'API key',
        type: 'password',
        description: 'Create a [key](https://vault.example/keys).',
      },
      { name: 'region', label: 'Region', optional: true },
    ],
  });
  await operator.post('/apps', {
    name_slug: 'bakery',
    name: 'Bakery',
    auth_type: 'oauth',
    oauth: {
      authorization_url: `${provider.url}/authorize`,
      token_url: `${provider.url}/token`,
      client_id: 'console',
      client_secret: 's',
      scopes: ['bread'],
    },
  });
  await operator.post('/apps', {
    name_slug: 'stall',
    name: 'Stall',
    auth_type: 'oauth',
    oauth: {
      authorization_url: `${provider.url}/authorize?shop={shop}`,
      token_url: `${provider.url}/token`,
      client_id: 'console',
      client_secret: 's',
      fields: [{ name: 'shop', label: 'Shop' }],
    },
  });
});
afterAll(() => provider?.close());

/** Grants access at once, unless a test sets `refuses` or `waits`. */
function answerAsProvider(request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'http://provider');
  if (url.pathname === '/token') {
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(
      JSON.stringify({ access_token: 'fresh', token_type: 'bearer', refresh_token: 'again', expires_in: 3600 }),
    );
  }
  if (url.pathname !== '/authorize') return response.writeHead(404).end();
  const back = new URL(url.searchParams.get('redirect_uri') ?? '');
  back.searchParams.set('state', url.searchParams.get('state') ?? '');
  if (refuses) back.searchParams.set('error', 'access_denied');
  else back.searchParams.set('code', 'agreed');
  if (waits) return response.writeHead(200, { 'content-type': 'text/html' }).end(`<a href="${back}">Agree</a>`);
  return response.writeHead(302, { location: String(back) }).end();
}
let refuses = false;
let waits = false;

const usesApp = (app: string) => `
  const app = { type: "app", app: "${app}" };
  export default { name: "Uses ${app}", version: "0.0.1", props: { app }, async run() { this.$emit(Object.keys(this.app.$auth).sort()); } };`;

async function formOf(who: Person, app: string, look = {}): Promise<Page> {
  const { data } = await who.post<{ data: { id: string } }>('/components', { component_code: usesApp(app) });
  return signedIn(browser, who, `/sources/new?component=${data.id}`, look);
}
async function createAndRun(page: Page, who: Person): Promise<unknown> {
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.waitForURL(/\/sources\/dc_\w+$/);
  const id = /dc_\w+/.exec(page.url())?.[0];
  await who.post(`/sources/${id}/run`);
  const newest = async () => {
    const { data } = await who.get<{ data: { event: unknown }[] }>(`/sources/${id}/event_summaries`);
    return data[0]?.event;
  };
  await expect.poll(newest).toBeDefined();
  return newest();
}

test('an account with keys is connected in the form, and the source uses it', async () => {
  const who = await server.user('keyed');
  const page = await formOf(who, 'vault');
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.getByText('This field is required.').waitFor();
  await page.getByRole('button', { name: 'Connect Vault' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Keeps secrets. Logo').waitFor();
  expect(await dialog.getByRole('link', { name: 'key' }).getAttribute('href')).toBe('https://vault.example/keys');
  expect(await dialog.locator('img').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialog.getByText('This field is required.').waitFor();
  await dialog.getByLabel('API key').fill('k-123');
  await dialog.getByLabel('Account name').fill('My vault');
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect
    .poll(() =>
      page.getByLabel('app').evaluate((field) => (field as HTMLSelectElement).selectedOptions[0]?.textContent),
    )
    .toBe('My vault');
  expect(await createAndRun(page, who)).toEqual(['api_key']);
});

test('a required account is marked before the source is created, and a single one is selected', async () => {
  const who = await server.user('chooser');
  const { data } = await who.post<{ data: { id: string } }>('/components', { component_code: usesApp('vault') });
  const page = await signedIn(browser, who, `/sources/new?component=${data.id}`);
  await page.getByText('No Vault accounts yet').waitFor({ state: 'attached' });
  await page.getByText('required', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Create source' }).click();
  await page.getByText('This field is required.').waitFor();
  expect((await who.get<{ data: unknown[] }>('/users/me/sources')).data).toEqual([]);

  const account = (name: string) =>
    who.post<{ data: { id: string } }>('/accounts', { app: 'vault', name, credentials: { api_key: 'k' } });
  const only = (await account('The only one')).data.id;
  await page.reload();
  const field = page.getByRole('combobox', { name: 'app' });
  await expect.poll(() => field.inputValue()).toBe(only);
  // A value that the form selected is no unsaved change.
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();

  await account('Another one');
  await page.goto(`${server.url}/sources/new?component=${data.id}`);
  await field.getByRole('option', { name: 'Another one' }).waitFor({ state: 'attached' });
  expect(await field.inputValue()).toBe('');
});

test('an account with OAuth is connected in a pop-up', async () => {
  const who = await server.user('oauth');
  const page = await formOf(who, 'bakery');
  await page.getByRole('button', { name: 'Connect Bakery' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Connect', exact: true }).click();
  await expect
    .poll(() =>
      page.getByLabel('app').evaluate((field) => (field as HTMLSelectElement).selectedOptions[0]?.textContent),
    )
    .toBe('Bakery');
  await expect.poll(() => page.context().pages().length).toBe(1);
  expect(await createAndRun(page, who)).toContain('oauth_access_token');
});

test('a provider that denies access and a closed pop-up are reported', async () => {
  const who = await server.user('refused');
  const page = await formOf(who, 'bakery');
  await page.getByRole('button', { name: 'Connect Bakery' }).click();
  const dialog = page.getByRole('dialog');
  refuses = true;
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialog.getByText('Could not connect the account').waitFor();
  await dialog.getByText('Access was denied. Try again and allow it at Bakery.').waitFor();
  await dialog.getByText('Bakery did not connect the account: access_denied').waitFor();
  refuses = false;

  waits = true;
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    dialog.getByRole('button', { name: 'Connect', exact: true }).click(),
  ]);
  await popup.getByText('Agree').waitFor();
  await popup.close();
  await dialog.getByText('The window was closed before Bakery responded.').waitFor();
  const [again] = await Promise.all([
    page.waitForEvent('popup'),
    dialog.getByRole('button', { name: 'Open again' }).click(),
  ]);
  await again.getByText('Agree').click();
  await dialog.waitFor({ state: 'hidden' });
  waits = false;
});

test('a blocked pop-up is replaced by a link', async () => {
  const who = await server.user('blocked');
  const page = await formOf(who, 'bakery');
  await page.evaluate(() => {
    window.open = () => null;
  });
  await page.getByRole('button', { name: 'Connect Bakery' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialog.getByText(/The browser blocked the pop-up/).waitFor();
  await dialog.getByRole('link', { name: 'Open Bakery in a new tab' }).click();
  await dialog.waitFor({ state: 'hidden' });
});

/** Requests an account as the command line does; gives the link to open in a browser. */
async function linkOf(who: Person): Promise<string> {
  const body = { app: 'bakery', name: 'From a terminal' };
  const { data } = await who.post<{ data: { connect_url: string } }>('/accounts/connect', body);
  return data.connect_url;
}

async function accountNames(who: Person): Promise<string[]> {
  const { data } = await who.get<{ data: { name: string }[] }>('/accounts');
  return data.map(({ name }) => name);
}

test('a link from the command line is confirmed by its user, signed in', async () => {
  const who = await server.user('terminal');
  const page = await open(browser);
  await page.goto(await linkOf(who));
  await page.getByLabel('API key').fill(who.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Connect Bakery' }).waitFor();
  await page.getByText('From a terminal').waitFor();
  await page.getByText(`the sources and workflows of ${who.name} can use it`).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Continue to Bakery' }).click();
  await page.getByText('From a terminal is connected.').waitFor();
  expect(await accountNames(who)).toEqual(['From a terminal']);
});

test('a link that is sent to someone else connects nothing', async () => {
  const [sender, victim] = [await server.user('sender'), await server.user('victim')];
  const link = await linkOf(sender);
  const ofVictim = await signedIn(browser, victim, new URL(link).pathname);
  await ofVictim.getByText('This link is not for you').waitFor();

  // Nor does the address of the provider, which only the sender's browser gets.
  waits = true;
  const ofSender = await signedIn(browser, sender, new URL(link).pathname);
  await ofSender.getByRole('button', { name: 'Continue to Bakery' }).click();
  await ofSender.getByText('Agree').waitFor();
  await ofVictim.goto(ofSender.url());
  await ofVictim.getByText('Agree').click();
  await ofVictim.getByText('another browser asked for it').waitFor();
  expect(await accountNames(sender)).toEqual([]);
  waits = false;
  await ofSender.getByText('Agree').click();
  await ofSender.getByText('From a terminal is connected.').waitFor();
});

test('accounts are listed with their uses, renamed, reconnected and deleted', async () => {
  const who = await server.user('keeper');
  const page = await signedIn(browser, who, '/accounts');
  await page.getByText('No accounts yet').waitFor();
  await page.getByRole('button', { name: 'Connect account' }).first().click();
  await page.getByRole('dialog').getByLabel('Search apps').fill('vault');
  await page.getByRole('dialog').getByRole('button', { name: 'Vault keys', exact: true }).click();
  await page.getByRole('dialog').getByLabel('API key').fill('k-1');
  await page.getByRole('dialog').getByRole('button', { name: 'Connect', exact: true }).click();
  const row = page.getByRole('row', { name: /Vault/ });
  await row.getByText('Healthy').waitFor();
  await row.getByText('Never').waitFor();
  await row.getByText('Nothing').waitFor();

  const { data } = await who.get<{ data: { id: string }[] }>('/accounts');
  const account = data[0]?.id ?? '';
  await who.source('reader', usesApp('vault'), { app: { authProvisionId: account } });
  const code = 'export default defineComponent({ props: { app: { type: "app", app: "vault" } }, async run() {} });';
  const tell = `  - name: tell\n    code: '${code}'\n    props:\n      app: { authProvisionId: ${account} }\n`;
  const workflow = await deploy(who, documentOf('Locksmith', [tell]));
  await page.reload();
  await row.getByRole('link', { name: 'reader' }).waitFor();
  expect(await row.getByRole('link', { name: 'Locksmith' }).getAttribute('href')).toBe(`/workflows/${workflow.id}`);

  await page.getByRole('button', { name: 'Rename Vault' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Cellar');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByRole('row', { name: /Cellar/ }).waitFor();

  await page.getByRole('button', { name: 'Reconnect Cellar' }).click();
  await page.getByRole('dialog').getByLabel('API key').fill('k-2');
  await page.getByRole('dialog').getByRole('button', { name: 'Reconnect', exact: true }).click();
  await expectToast(page, 'Cellar connected');
  const stored = await who.get<{ data: { credentials: unknown } }>(`/accounts/${account}?include_credentials=true`);
  expect(stored.data.credentials).toMatchObject({ api_key: 'k-2' });

  await page.getByRole('button', { name: 'Delete Cellar' }).click();
  await page
    .getByRole('dialog')
    .getByText(/1 source and 1 workflow that use it will fail/)
    .waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('No accounts yet').waitFor();
});

test('an app without a client is connected with a token, which is not renewable', async () => {
  const who = await server.user('paster');
  const page = await formOf(who, 'github');
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/The operator has not set up an OAuth client for GitHub/).waitFor();
  expect(await dialog.getByRole('link', { name: 'Set up the client' }).count()).toBe(0);
  await dialog.getByText('Not renewable: paste a new token when it expires.').waitFor();
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialog.getByText('This field is required.').waitFor();
  await dialog.getByLabel('Access token').fill('t-1');
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await createAndRun(page, who)).toContain('oauth_access_token');

  await page.goto(`${server.url}/accounts`);
  const row = page.getByRole('row', { name: /GitHub/ });
  await row.getByText('Not renewable: paste a new token when it expires.').waitFor();
  expect(await row.getByRole('link', { name: 'GitHub', exact: true }).getAttribute('href')).toBe('/apps/github');
});

test('an app with a client also takes a token', async () => {
  const who = await server.user('both');
  const page = await formOf(who, 'bakery');
  await page.getByRole('button', { name: 'Connect Bakery' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Paste a token instead' }).click();
  await dialog.getByText(/Not renewable/).waitFor();
  await dialog.getByLabel('Access token').fill('t-1');
  await dialog.getByLabel('Refresh token').fill('r-1');
  await expect.poll(() => dialog.getByText(/Not renewable/).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  const { data } = await who.get<{ data: { renewable: boolean }[] }>('/accounts');
  expect(data).toMatchObject([{ renewable: true }]);
});

test('the fields of an OAuth app are asked for before its provider', async () => {
  const who = await server.user('shopper');
  const page = await formOf(who, 'stall');
  await page.getByRole('button', { name: 'Connect Stall' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialog.getByText('This field is required.').waitFor();
  await dialog.getByLabel('Shop').fill('corner');
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  const { data } = await who.get<{ data: { id: string }[] }>('/accounts');
  const path = `/accounts/${data[0]?.id}?include_credentials=true`;
  const stored = await who.get<{ data: { credentials: unknown } }>(path);
  expect(stored.data.credentials).toMatchObject({ shop: 'corner', oauth_access_token: 'fresh' });
});

test('the page has no serious accessibility violations in light and dark and on a narrow screen', async () => {
  await operator.post('/accounts', { app: 'vault', name: 'Of the operator', credentials: { api_key: 'k' } });
  const page = await signedIn(browser, operator, '/accounts');
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${server.url}/accounts`);
    await page.getByText('Of the operator').waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(
      0,
    );
    await page.getByRole('button', { name: 'Connect account' }).click();
    await page.getByRole('dialog').getByLabel('Search apps').fill('github');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^GitHub/ })
      .first()
      .click();
    await page.getByRole('dialog').getByLabel('Access token').waitFor();
    expect(await violationsInBothSchemes(page)).toEqual([]);
  }
});
