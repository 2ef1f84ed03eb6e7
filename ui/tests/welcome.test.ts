import { expect, test } from 'vitest';
import { seriousFaults } from './harness/accessibility';
import { complaints, signedIn } from './harness/browser';
import { Server } from './harness/server';
import { browser, server, stage } from './harness/stage';

stage();

test('a first visit gets from nothing to a first event with two clicks', async () => {
  const person = await server.user('first');
  const page = await signedIn(browser, person);
  const heard = complaints(page);
  await page.waitForURL('**/welcome');
  await page.getByRole('button', { name: 'Deploy this source' }).click();
  await page.getByRole('button', { name: 'Send a request' }).click();
  const events = page.getByRole('region', { name: 'Events' });
  await events.getByText('POST /').waitFor();
  await events.getByText('{"method":"POST","path":"/","body":{"hello":"world"}}').waitFor();
  await page.getByText('The first event is here.').waitFor();
  await page.getByRole('heading', { name: 'What next' }).waitFor();

  // The same from elsewhere, with the address that the page shows.
  const endpoint = await page.locator('pre', { hasText: /^http/ }).first().textContent();
  await fetch(`${endpoint}/tide`, { method: 'PUT', body: 'high' });
  await events.getByText('PUT /tide').waitFor();

  await page.reload();
  await events.getByText('PUT /tide').waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('region', { name: 'Busiest' }).getByText('First requests').waitFor();
  expect(heard).toEqual([]);
});

test('where endpoints have another address than the console, the button works all the same', async () => {
  const elsewhere = await Server.start('--public-url', 'http://sluice.example');
  try {
    const page = await signedIn(browser, await elsewhere.user('first'), '/welcome');
    await page.getByRole('button', { name: 'Deploy this source' }).click();
    await page
      .getByText(/http:\/\/sluice\.example\/e\//)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Send a request' }).click();
    await page.getByRole('region', { name: 'Events' }).getByText('POST /').waitFor();
  } finally {
    await elsewhere.stop();
  }
});

test('the other example ticks by itself', async () => {
  const page = await signedIn(browser, await server.user('ticking'), '/welcome');
  await page.getByRole('button', { name: 'A timer' }).click();
  await page.getByRole('button', { name: 'Deploy this source' }).click();
  await page.getByRole('region', { name: 'Events' }).getByText('Tick 1').waitFor();
});

test.each(['light', 'dark'] as const)('the first visit has no serious fault in %s colours', async (colorScheme) => {
  const page = await signedIn(browser, await server.user(`seen-${colorScheme}`), '/welcome', { colorScheme });
  await page.getByRole('button', { name: 'Deploy this source' }).waitFor();
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Deploy this source' }).click();
  await page.getByRole('button', { name: 'Send a request' }).click();
  await page.getByRole('heading', { name: 'What next' }).waitFor();
  // The colour of a row that has just arrived fades away.
  await expect.poll(() => page.evaluate(() => document.getAnimations().length)).toBe(0);
  expect(await seriousFaults(page)).toEqual([]);
});
