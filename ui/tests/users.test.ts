import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { seriousViolations, violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { echo } from './harness/receiver';
import { clipboard, expectToast } from './harness/recording';
import { Person, Server } from './harness/server';
import { browser, ownStage, server } from './harness/stage';

ownStage();

let operator: Person;
beforeAll(async () => {
  operator = new Person(server, server.key);
});
const works = async (key: string) => {
  const answer = await fetch(`${server.url}/v1/users/me`, { headers: { authorization: `Bearer ${key}` } });
  return answer.ok;
};
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: `${name}@example.com` });

test('an operator creates a user, whose key is shown once and works', async () => {
  const page = await signedIn(browser, operator, '/users');
  const errors = pageErrors(page);
  await page.getByRole('link', { name: 'New user' }).click();
  await page.getByRole('button', { name: 'Create user' }).click();
  await page.getByText('Enter a name.').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('grace');
  await page.getByLabel('Email', { exact: true }).fill('grace@example.com');
  await page.getByLabel('Plan').selectOption('paid');
  await page.getByRole('button', { name: 'Create user' }).click();
  const key = await page.getByLabel('API key', { exact: true }).inputValue();
  expect(await works(key)).toBe(true);
  await page.getByRole('button', { name: 'Copy API key' }).click();
  await clipboard(page).toBe(key);
  await page.getByRole('button', { name: 'Done' }).click();
  await row(page, 'grace').getByText('Paid').waitFor();
  await expect.poll(() => page.content()).not.toContain(key);
  expect(errors).toEqual([]);

  await page.getByRole('link', { name: 'New user' }).click();
  await page.getByLabel('Name', { exact: true }).fill('grace');
  await page.getByLabel('Email', { exact: true }).fill('grace@example.com');
  await page.getByRole('button', { name: 'Create user' }).click();
  await page.getByText('The username is taken').waitFor();
});

test('users are found by name or email, and the search is in the URL', async () => {
  await server.user('needle');
  const page = await signedIn(browser, operator, '/users');
  await page.getByLabel('Search by name or email').fill('NEEDLE@');
  await page.getByText('1 user', { exact: true }).waitFor();
  await page.reload();
  await row(page, 'needle').waitFor();
  expect(page.url()).toContain('q=NEEDLE');
});

test('a key is rotated after confirmation, and the old one stops working', async () => {
  const who = await server.user('ada');
  const page = await signedIn(browser, operator, '/users');
  await row(page, 'ada').getByRole('button', { name: 'Rotate key of ada' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click();
  const key = await page.getByLabel('API key', { exact: true }).inputValue();
  expect([await works(who.key), await works(key)]).toEqual([false, true]);
});

test('an operator who rotates their own key sees the new one and stays signed in', async () => {
  const own = await Server.start();
  try {
    const page = await signedIn(browser, new Person(own, own.key), '/users');
    await page.getByRole('button', { name: 'Rotate key of operator' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click();
    expect(await page.getByLabel('API key', { exact: true }).inputValue()).not.toBe(own.key);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Rotate key of operator' }).waitFor();
  } finally {
    await own.stop();
  }
});

test('a user with sources is not deleted and the reason is shown; one without sources is', async () => {
  const busy = await server.user('busy');
  await echo(busy, 'Orders');
  await server.user('idle');
  const page = await signedIn(browser, operator, '/users');
  await page.getByRole('button', { name: 'Delete busy' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete user' }).click();
  await expectToast(page, 'The user still has 1 source and 0 workflows: they must be deleted first');
  await page.getByRole('button', { name: 'Delete idle' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete user' }).click();
  await row(page, 'idle').waitFor({ state: 'detached' });
  await row(page, 'busy').waitFor();
});

test('an operator changes the plan and the role of a user, but not the own role as the last one', async () => {
  await server.user('deputy');
  const page = await signedIn(browser, operator, '/users?q=deputy');
  await page.getByRole('button', { name: 'Edit deputy' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Plan').selectOption('paid');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row(page, 'deputy').getByText('Paid').waitFor();
  await page.goto(`${server.url}/users?q=operator`);
  await page.getByRole('button', { name: 'Edit operator' }).click();
  await dialog.getByLabel('Role').selectOption('user');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('This is the last operator').waitFor();
});

test('other users see that the page is for operators only', async () => {
  const who = await server.user('guest');
  const page = await signedIn(browser, who, '/users');
  await page.getByText('Operators only').waitFor();
  expect(await page.getByRole('navigation', { name: 'Console' }).getByText('Users').count()).toBe(0);
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Open settings' }).click();
  await page.getByText(who.email, { exact: true }).waitFor();
});

test('the users page has no serious accessibility violations in light and dark, and fits a narrow screen', async () => {
  const page = await signedIn(browser, operator, '/users');
  await page.getByText('operator@localhost').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.reload();
  await page.getByText('operator@localhost').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

test('a long list of users is loaded while scrolling, and search finds users further down', async () => {
  await server.user('first-of-many');
  await Promise.all(Array.from({ length: 60 }, (_, n) => server.user(`many-${n}`)));
  const page = await signedIn(browser, operator, '/users');
  await page
    .getByText(/many-\d+@/)
    .first()
    .waitFor();
  await expect
    .poll(async () => {
      await page.getByRole('row').last().scrollIntoViewIfNeeded();
      return row(page, 'first-of-many').count();
    })
    .toBe(1);
  await page.goto(`${server.url}/users?q=first-of-many`);
  await row(page, 'first-of-many').waitFor();
  await page.getByText('1 user', { exact: true }).waitFor();
});
