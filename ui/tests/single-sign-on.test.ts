import { expect, test } from 'vitest';
import { open } from './harness/browser';
import { browser, ownStage, server } from './harness/stage';

// Nothing listens there.
ownStage('--oidc-issuer', 'http://127.0.0.1:9', '--oidc-client-id', 'sluice', '--oidc-name', 'Example');

test('the provider is offered, its failure is shown once, and an API key still works', async () => {
  const page = await open(browser);
  await page.goto(`${server.url}/sources`);
  await page.getByRole('button', { name: 'Sign in with Example' }).click();
  await page.getByRole('alert').getByText('Example did not sign you in: it cannot be reached.').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in with Example' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);

  await page.getByLabel('API key').fill(server.key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Console' }).waitFor();
});
