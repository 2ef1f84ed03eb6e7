import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { pageErrors, signedIn } from './harness/browser';
import { expectToast } from './harness/recording';
import { browser, server, stage } from './harness/stage';

stage();

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const status = async (path: string, key: string, method = 'GET') =>
  (await fetch(`${server.url}/v1${path}`, { method, headers: { authorization: `Bearer ${key}` } })).status;

test('a key with scopes is created, shown once, listed with its last use, and deleted', async () => {
  const who = await server.user('keyring');
  const page = await signedIn(browser, who, '/settings');
  const errors = pageErrors(page);
  const keys = panel(page, 'Named keys');
  await keys.getByText('No named keys').waitFor();
  await keys.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Read').uncheck();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByText('Enter a name.').waitFor();
  await dialog.getByText('Select at least one scope.').waitFor();
  await dialog.getByLabel('Name', { exact: true }).fill('robot');
  await dialog.getByLabel('Read').check();
  await dialog.getByLabel('Expires').selectOption('30 days');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const key = await dialog.getByLabel('API key', { exact: true }).inputValue();
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect([await status('/users/me/sources', key), await status('/users/me/keys', key)]).toEqual([200, 403]);

  const row = keys.getByRole('row').filter({ hasText: 'robot' });
  await row.getByText(`…${key.slice(-4)}`).waitFor();
  await expect.poll(() => page.content()).not.toContain(key);
  await expect
    .poll(async () => {
      await page.reload();
      await row.waitFor();
      return row.getByText('never').count();
    })
    .toBe(0);
  await row.getByRole('button', { name: 'Delete key robot' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click();
  await keys.getByText('No named keys').waitFor();
  expect(await status('/users/me/sources', key)).toBe(401);
  expect(errors).toEqual([]);
});

test('other sessions are listed and ended, and this one stays', async () => {
  const who = await server.user('traveller');
  const page = await signedIn(browser, who, '/settings');
  const other = await signedIn(browser, who, '/settings');
  await panel(other, 'Sessions').waitFor();
  await page.reload();
  const sessions = panel(page, 'Sessions');
  await sessions.getByText('This browser').waitFor();
  await sessions.getByRole('button', { name: /^End session of / }).click();
  await expectToast(page, 'Session ended');
  await sessions.getByRole('button', { name: /^End session/ }).waitFor({ state: 'detached' });
  await other.reload();
  await other.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.reload();
  await sessions.getByText('This browser').waitFor();
});

test('a user changes the own name and email address', async () => {
  const who = await server.user('caterpillar');
  await server.user('taken');
  const page = await signedIn(browser, who, '/settings');
  await page.getByRole('button', { name: 'Edit profile' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('taken');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('The username is taken').waitFor();
  await dialog.getByLabel('Name', { exact: true }).fill('butterfly');
  await dialog.getByLabel('Email', { exact: true }).fill('wings@example.com');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await panel(page, 'Profile').getByText('wings@example.com').waitFor();
  await panel(page, 'Profile').getByText('butterfly').waitFor();
});
