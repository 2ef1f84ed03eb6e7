import { expect, test } from 'vitest';
import { open, pageErrors } from './harness/browser';
import { browser, server, stage } from './harness/stage';

stage();

test('an API key signs in, an invalid key shows an error, and signing out ends the session', async () => {
  const page = await open(browser);
  const errors = pageErrors(page);
  await page.goto(server.url);
  await page.getByLabel('API key').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Invalid API key.').waitFor();

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
  // 401 responses are expected here; other errors are not.
  expect(errors.filter((words) => !words.includes('401'))).toEqual([]);
});
