import { expect, test } from 'vitest';
import { complaints, open } from './harness/browser';
import { browser, server, stage } from './harness/stage';

stage();

test('signing in takes an API key, a wrong one is refused in words, and signing out ends the session', async () => {
  const page = await open(browser);
  const heard = complaints(page);
  await page.goto(server.url);
  await page.getByLabel('API key').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The server does not know this key.').waitFor();

  await page.getByLabel('API key').fill(server.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Console' }).waitFor();
  const cookie = (await page.context().cookies(`${server.url}/v1/`)).find(({ name }) =>
    name.startsWith('sluice_session_'),
  );
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });

  await page.reload();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  // Refusals are what this test is about; nothing else may have gone wrong.
  expect(heard.filter((words) => !words.includes('401'))).toEqual([]);
});
