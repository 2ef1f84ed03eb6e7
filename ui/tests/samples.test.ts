import { expect, test } from 'vitest';
import { pageErrors, signedIn } from './harness/browser';
import type { Json, Person } from './harness/server';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, step } from './harness/workflows';

stage();

/** Creates a source with a sample beside its code. It emits the event that it receives. */
async function sampled(who: Person, name: string, props: string, values: Json = {}): Promise<string> {
  const code = `export default { name: 'Sampled', version: '1.0.0', props: { ${props} }, run(event) { this.$emit(event, { summary: 'Got ' + JSON.stringify(event) }) } }`;
  const files = { path: 'a/source.mjs', files: { 'a/test-event.mjs': 'export default { id: 1 };' } };
  const body = { name, component_code: code, component_files: files, configured_props: values };
  return (await who.post<{ data: { id: string } }>('/sources', body)).data.id;
}

const REQUEST = {
  method: 'POST',
  path: '/',
  query: {},
  headers: { 'content-type': 'application/json' },
  body: { id: 1 },
};

test.each([
  ['with an endpoint', 'http: "$.interface.http"', REQUEST],
  ['that listens to others', '', { id: 1 }],
])('a source %s is run with its sample', async (_, props, event) => {
  const who = await server.user('sampled');
  const page = await signedIn(browser, who, `/sources/${await sampled(who, 'Sampled', props)}`);
  const errors = pageErrors(page);
  await page.getByRole('button', { name: 'Run with event' }).click();
  await page.getByRole('button', { name: 'Use the sample' }).click();
  expect(JSON.parse(await page.getByLabel('Event (JSON)').inputValue())).toEqual(event);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('link', { name: `Got ${JSON.stringify(event)}` }).waitFor();
  expect(errors).toEqual([]);
});

test('a source with only a timer, and one without a sample, have no sample to run with', async () => {
  const who = await server.user('unsampled');
  const values = { timer: { intervalSeconds: 86_400 } };
  const timer = await sampled(who, 'Timed', 'timer: { type: "$.interface.timer" }', values);
  const { id } = await who.source('Plain', 'export default { name: "Plain", version: "0.0.1", run() {} };');
  for (const source of [timer, id]) {
    const page = await signedIn(browser, who, `/sources/${source}`);
    await page.getByRole('button', { name: 'Run with event' }).click();
    await page.getByLabel('Event (JSON)').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('button', { name: 'Use the sample' }).count()).toBe(0);
  }
});

test('a workflow is run with the sample of a source that triggers it', async () => {
  const who = await server.user('wf-sampled');
  const shop = await sampled(who, 'Shop', '');
  const { id: plain } = await who.source('Plain', 'export default { name: "Plain", version: "0.0.1", run() {} };');
  const triggers = `triggers:\n  - events: { from: ${plain} }\n  - events: { from: ${shop} }\n`;
  const { id } = await deploy(who, documentOf('Sampled', [step('look', 'return steps.trigger.event.id;')], triggers));
  const page = await signedIn(browser, who, `/workflows/${id}`);
  await page.getByRole('button', { name: 'Run now' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Use sample of Shop' }).click();
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Event' }).textContent()).toMatch(/{\s*"id": 1\s*}/);
  expect(await dialog.getByRole('button', { name: /^Use sample of/ }).count()).toBe(1);
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForURL(/\/runs\//);
  await page.getByRole('main').getByText('succeeded', { exact: true }).waitFor();
});
