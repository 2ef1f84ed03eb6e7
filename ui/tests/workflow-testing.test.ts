import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { replaceText } from './harness/code-editor';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, reached, run, step } from './harness/workflows';

stage();

const LOAD = step(
  'load',
  'console.log("loading");\n$.send.http({ method: "POST", url: "http://127.0.0.1:1/" });\nreturn { id: steps.trigger.event.id };',
);
const CHARGE = `${step('charge', 'if (steps.trigger.event.decline) throw new Error("declined");\nreturn steps.load.$return_value.id + 1;')}    props: { amount: "{{ event.id }}" }
`;
const ORDERS = documentOf('Orders', [LOAD, CHARGE]);

const open = (page: Page, name: string) =>
  page
    .getByRole('list', { name: /^Steps/ })
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .click();
const panel = (page: Page, name: string) => page.getByRole('region', { name: `Test of ${name}` });

test('steps of a new workflow are tested with an event, and their results stay on the cards', async () => {
  const who = await server.user('step-test');
  const page = await signedIn(browser, who, '/workflows/new');
  const errors = pageErrors(page);
  const document = page.getByRole('textbox', { name: 'Workflow document' });
  await replaceText(document, ORDERS);
  await open(page, 'charge');
  const charge = panel(page, 'charge');
  await replaceText(charge.getByRole('textbox', { name: 'Event of the test' }), '{ "id": 41 }');
  // Without data of the step before it, the step fails. The place of its error is shown.
  await charge.getByRole('button', { name: 'Test this step' }).click();
  await charge.getByText('No data of load').waitFor();
  await charge.getByText(/Document, line \d+/).waitFor();
  await charge.getByRole('button', { name: 'Test up to here' }).click();
  await charge.getByText('$return_value').first().waitFor();
  await charge.getByText('42', { exact: true }).first().waitFor();
  await charge.getByText('amount').first().waitFor();
  // Now it is known what the first step exports.
  await charge.getByRole('button', { name: 'Test this step' }).click();
  await charge.getByText('Exports of load come from').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Back to the outline' }).click();
  const steps = page.getByRole('list', { name: /^Steps/ });
  await expect.poll(() => steps.getByText('tested', { exact: true }).count()).toBe(2);
  await open(page, 'load');
  const load = panel(page, 'load');
  await load.getByText('Tested with a later step.').waitFor();
  await load.getByText('not sent').waitFor();
  await load.getByText('loading').waitFor();
  expect((await who.get<{ data: unknown[] }>('/workflows')).data).toEqual([]);
  expect(errors).toEqual([]);
});

test('a step is tested with the data of a run', async () => {
  const who = await server.user('step-test-run');
  const { id } = await deploy(who, ORDERS);
  await reached(who, id, await run(who, id, { id: 6 }), 'succeeded');
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  await open(page, 'charge');
  const charge = panel(page, 'charge');
  await charge.getByRole('button', { name: 'Last run', pressed: true }).waitFor();
  await charge.getByRole('button', { name: 'Test this step' }).click();
  await charge.getByText('Exports of load come from').waitFor();
  await charge.getByText('7', { exact: true }).first().waitFor();
});

test('a failed run shows the line of its error and the inputs of its steps, and opens the document there', async () => {
  const who = await server.user('error-place');
  const { id } = await deploy(who, ORDERS);
  const failed = await run(who, id, { id: 1, decline: true });
  await reached(who, id, failed, 'failed');
  const page = await signedIn(browser, who, `/workflows/${id}/runs/${failed}`);
  await page.getByRole('heading', { name: 'Inputs' }).waitFor();
  await page.getByText('amount').first().waitFor();
  const code = page.getByRole('region', { name: /^Code around Document, line/ });
  await code.getByText('throw new Error("declined")').waitFor();
  await page.getByRole('link', { name: /^Document, line \d+$/ }).click();
  await page.waitForURL(/versions\?version=1&line=\d+/);
  await page.getByRole('textbox', { name: 'Document of version 1' }).waitFor();
});

test('two runs are compared step by step', async () => {
  const who = await server.user('compare');
  const { id } = await deploy(who, ORDERS);
  const first = await run(who, id, { id: 1 });
  await reached(who, id, first, 'succeeded');
  const second = await run(who, id, { id: 2, decline: true });
  await reached(who, id, second, 'failed');
  const page = await signedIn(browser, who, `/workflows/${id}/runs/${second}`);
  await page.getByRole('link', { name: 'Compare' }).click();
  await page.getByRole('heading', { name: 'Compare runs' }).waitFor();
  await page.getByRole('region', { name: 'Differences of the events' }).getByText('"decline": true').waitFor();
  await page.getByRole('region', { name: 'Differences of the inputs of charge' }).getByText('"amount": 1').waitFor();
  await page.getByRole('region', { name: 'Differences of the exports of load' }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  // The page also opens by its address.
  await page.reload();
  await page.getByRole('region', { name: 'Differences of the events' }).waitFor();
});

test('a run that is not among the recent ones is compared with the one before it', async () => {
  const who = await server.user('compare-old');
  const { id } = await deploy(who, documentOf('Many', [step('one', 'return steps.trigger.event.n;')]));
  const runs: string[] = [];
  for (let n = 0; n < 53; n += 1) runs.push(await run(who, id, { n }));
  await reached(who, id, runs.at(-1) ?? '', 'succeeded');
  const page = await signedIn(browser, who, `/workflows/${id}/compare?b=${runs[1]}`);
  const events = page.getByRole('region', { name: 'Differences of the events' });
  await events.getByText('"n": 0').waitFor();
  await events.getByText('"n": 1').waitFor();
  expect(await page.getByLabel('First run').inputValue()).toBe(runs[0]);
});
