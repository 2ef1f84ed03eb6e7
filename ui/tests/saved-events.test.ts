import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { echo, Receiver, webhook } from './harness/receiver';
import { expectToast } from './harness/recording';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, step } from './harness/workflows';

stage();

test('a source is run with its last request, a template or a saved event', async () => {
  const who = await server.user('saved-source');
  const source = await echo(who, 'Orders');
  await source.send({ order: 7 });
  const page = await signedIn(browser, who, `/sources/${source.id}`);
  const errors = pageErrors(page);
  await page.getByRole('button', { name: 'Run with event' }).click();
  const field = page.getByLabel('Event (JSON)');
  await page.getByRole('button', { name: 'Template: HTTP request' }).click();
  expect(JSON.parse(await field.inputValue()).body).toEqual({ hello: 'world' });
  await page.getByRole('button', { name: 'Use the last request' }).click();
  expect(JSON.parse(await field.inputValue()).body).toEqual({ order: 7 });

  await field.fill('{"body": {"order": 8}}');
  await page.getByLabel('Save as').fill('Next order');
  await page.getByRole('button', { name: 'Save event', exact: true }).click();
  await expectToast(page, 'Event saved as Next order');
  await field.fill('{}');
  const saved = page.getByRole('list', { name: 'Saved events' });
  await saved.getByRole('button', { name: 'Next order', exact: true }).click();
  expect(JSON.parse(await field.inputValue())).toEqual({ body: { order: 8 } });
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await saved.getByRole('button', { name: 'Delete saved event Next order' }).click();
  await saved.waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
});

test('a workflow is run with the event of its last run or a saved event', async () => {
  const who = await server.user('saved-workflow');
  const { id } = await deploy(who, documentOf('Orders', [step('look', 'return steps.trigger.event;')]));
  await who.post(`/workflows/${id}/run`, { event: { order: 9 } });
  await who.put(`/workflows/${id}/saved_events/Small`, { event: { order: 1 } });
  const page = await signedIn(browser, who, `/workflows/${id}`);
  await page.getByRole('button', { name: 'Run now' }).click();
  const dialog = page.getByRole('dialog');
  const editor = dialog.getByRole('textbox', { name: 'Event' });
  await dialog.getByRole('button', { name: 'Use the event of the last run' }).click();
  await expect.poll(() => editor.textContent()).toMatch(/"order": 9/);
  await dialog.getByRole('button', { name: 'Small', exact: true }).click();
  await expect.poll(() => editor.textContent()).toMatch(/"order": 1/);
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForURL(/\/runs\//);
});

test('deliveries show the summary of their event', async () => {
  const who = await server.user('summaries');
  const receiver = await Receiver.start();
  const code = `export default { name: 'Shop', version: '1.0.0', run(event) { this.$emit(event, { summary: 'Order ' + event.order }) } }`;
  const { id } = await who.source('Shop', code);
  await webhook(who, 'Desk', receiver.url, id);
  await who.post(`/sources/${id}/run`, { event: { order: 'A-7' } });
  const page = await signedIn(browser, who, '/deliveries');
  await page.getByRole('link', { name: 'Order A-7' }).click();
  await page.getByRole('heading', { name: 'Delivery to Desk' }).waitFor();
  await page.getByText('Order A-7', { exact: true }).waitFor();
  await receiver.stop();
});
