import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { expectToast } from './harness/recording';
import { browser, server, stage } from './harness/stage';

stage();

const ECHO = `export default {
  name: "Echo", key: "test-echo", version: "1.0.0", type: "action", description: "Returns what it gets.",
  props: { text: { type: "string", label: "Text" }, count: { type: "integer", label: "Count" } },
  run() { console.log("echo", this.text); return { text: this.text, count: this.count }; },
};`;
const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

async function request(key: string, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${server.url}/v1${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? undefined : ((await response.json()) as { data: Record<string, unknown> }).data;
}

test('an action is enabled with a preset value, run by an agent, and shown with its run', async () => {
  const who = await server.user('puppeteer');
  await request(who.key, 'POST', '/components/published', { component_code: ECHO });
  const page = await signedIn(browser, who, '/agents');
  const errors = pageErrors(page);
  await panel(page, 'Enabled actions').getByText('No enabled actions').waitFor();
  await panel(page, 'Connect an application').getByText(`${server.url}/mcp`).waitFor();

  await page.getByRole('link', { name: 'Enable action' }).first().click();
  await page.getByRole('link', { name: /Echo/ }).click();
  await page.getByLabel('Name of the tool').fill('say');
  await page.getByLabel('Count').fill('7');
  await page.getByRole('button', { name: 'Enable', exact: true }).click();
  await expectToast(page, 'say enabled');
  const row = panel(page, 'Enabled actions').getByRole('row').filter({ hasText: 'say' });
  await row.getByText('count').waitFor();

  const key = await request(who.key, 'POST', '/users/me/keys', { name: 'assistant', scopes: ['run'] });
  await request(String(key?.api_key), 'POST', '/tools/say/run', { configured_props: { text: 'hello' } });
  await page.reload();
  const activity = panel(page, 'Activity');
  await activity.getByLabel('Key').selectOption('assistant');
  await activity.getByText('Ran action').waitFor();
  await activity.getByRole('button', { name: 'Echo' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('echo hello').waitFor();
  await dialog.getByText('Succeeded').waitFor();
  await page.keyboard.press('Escape');
  expect(await violationsInBothSchemes(page)).toEqual([]);

  await row.getByRole('button', { name: 'Disable say' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await panel(page, 'Enabled actions').getByText('No enabled actions').waitFor();
  expect(errors).toEqual([]);
});

test('an application is approved with fewer scopes than it asked for', async () => {
  const who = await server.user('gatekeeper');
  const returned: URL[] = [];
  const application = createServer((request, response) => {
    returned.push(new URL(request.url ?? '/', 'http://127.0.0.1'));
    response.end('back');
  });
  await new Promise<void>((ready) => application.listen(0, '127.0.0.1', ready));
  const redirect = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback`;
  const registered = await fetch(`${server.url}/oauth/register`, {
    method: 'POST',
    body: JSON.stringify({ client_name: 'Helper', redirect_uris: [redirect] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const verifier = 'v'.repeat(43);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: redirect,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'read run',
    state: 'xyz',
  });
  const page = await signedIn(browser, who, `/agents/authorize?${query}`);
  const question = panel(page, 'Give access to Helper?');
  await question.getByText('an application on your machine').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await question.getByRole('checkbox', { name: /^Run / }).uncheck();
  await question.getByRole('button', { name: 'Allow' }).click();
  await expect
    .poll(() => returned.find(({ pathname }) => pathname === '/callback')?.searchParams.get('state'))
    .toBe('xyz');
  const code = returned.find(({ pathname }) => pathname === '/callback')?.searchParams.get('code') ?? '';
  const token = await fetch(`${server.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      client_id,
      redirect_uri: redirect,
      code_verifier: verifier,
    }),
  });
  expect(await token.json()).toMatchObject({ token_type: 'Bearer', scope: 'read' });
  application.close();
});
