import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { Server } from './harness/server';
import { browser, server, stage } from './harness/stage';

stage();

test('a first visit leads to a first event with two clicks', async () => {
  const person = await server.user('first');
  const page = await signedIn(browser, person);
  const errors = pageErrors(page);
  await page.waitForURL('**/welcome');
  await page.getByRole('button', { name: 'Deploy source' }).click();
  await page.getByRole('button', { name: 'Send request' }).click();
  const events = page.getByRole('region', { name: 'Events' });
  await events.getByText('POST /').waitFor();
  await events.getByText('{"method":"POST","path":"/","body":{"hello":"world"}}').waitFor();
  await page.getByText('The first event has arrived.').waitFor();
  await page.getByRole('heading', { name: 'Next steps' }).waitFor();

  // A request from outside to the displayed endpoint.
  const endpoint = await page.locator('pre', { hasText: /^http/ }).first().textContent();
  await fetch(`${endpoint}/tide`, { method: 'PUT', body: 'high' });
  await events.getByText('PUT /tide').waitFor();

  await page.reload();
  await events.getByText('PUT /tide').waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('region', { name: 'Busiest' }).getByText('First requests').waitFor();
  expect(errors).toEqual([]);
});

test('the button works if endpoints have another origin than the console', async () => {
  const elsewhere = await Server.start('--public-url', 'http://sluice.example');
  try {
    const page = await signedIn(browser, await elsewhere.user('first'), '/welcome');
    await page.getByRole('button', { name: 'Deploy source' }).click();
    await page
      .getByText(/http:\/\/sluice\.example\/e\//)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByRole('region', { name: 'Events' }).getByText('POST /').waitFor();
  } finally {
    await elsewhere.stop();
  }
});

test('the timer example runs by itself', async () => {
  const page = await signedIn(browser, await server.user('ticking'), '/welcome');
  await page.getByRole('button', { name: 'Timer' }).click();
  await page.getByRole('button', { name: 'Deploy source' }).click();
  await page.getByRole('region', { name: 'Events' }).getByText('Tick 1').waitFor();
});

test('the first visit has no serious accessibility violations in light and dark', async () => {
  const page = await signedIn(browser, await server.user('seen'), '/welcome');
  await page.getByRole('button', { name: 'Deploy source' }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Deploy source' }).click();
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByRole('heading', { name: 'Next steps' }).waitFor();
  // The highlight of a new row fades out.
  await expect.poll(() => page.evaluate(() => document.getAnimations().length)).toBe(0);
  expect(await violationsInBothSchemes(page)).toEqual([]);
});
