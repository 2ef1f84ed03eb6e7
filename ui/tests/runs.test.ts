import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { replaceText } from './harness/code-editor';
import { Gate } from './harness/gate';
import { clipboard, expectToast } from './harness/recording';
import { Server } from './harness/server';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, reached, run, step } from './harness/workflows';

stage();

const CHECK = step(
  'check',
  'console.log("checking", steps.trigger.event.order);\n$.export("$summary", "order is fine");\nreturn { total: 42 };',
);
const CHARGE = step(
  'charge',
  'if (steps.trigger.event.decline) throw new Error("the card was declined");\nreturn "paid";',
);
const TELL = step('tell', '$.send.emit({ order: true }, "orders");');
const ORDERS = documentOf('Orders', [CHECK, CHARGE, TELL]);

const timelineRow = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Timeline' }).getByRole('button', { name });

test('a manual run with an event opens the run with the duration, exports and logs of each step', async () => {
  const who = await server.user('run-now');
  const { id } = await deploy(who, ORDERS);
  const page = await signedIn(browser, who, `/workflows/${id}`);
  const errors = pageErrors(page);
  await page.getByText('No runs yet').waitFor();
  await page.getByRole('button', { name: 'Run now' }).click();
  const editor = page.getByRole('dialog').getByRole('textbox', { name: 'Event' });
  await replaceText(editor, '{ "order": ');
  await page.getByText(/Invalid JSON/).waitFor();
  await replaceText(editor, '{ "order": "A-17" }');
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();

  await page.waitForURL(/\/runs\//);
  await page.getByRole('main').getByText('succeeded', { exact: true }).waitFor();
  await timelineRow(page, 'tell').waitFor();
  await timelineRow(page, 'check').click();
  expect(await timelineRow(page, 'check').textContent()).toMatch(/\d+ ms|\d\.\d s/);
  await page.getByRole('heading', { name: 'Step check' }).waitFor();
  await page.getByText('order is fine').first().waitFor();
  await page.getByText('"total"').waitFor();
  await page.getByRole('region', { name: 'Logs of check' }).getByText('checking A-17').waitFor();
  await timelineRow(page, 'trigger').click();
  await page.getByText('"A-17"').waitFor();
  const sent = page.getByRole('region', { name: 'Sent' });
  await sent.getByText('sent', { exact: true }).waitFor();
  await sent.getByText('emit').waitFor();

  await page.getByRole('button', { name: 'Run now' }).click();
  await expect
    .poll(() => page.getByRole('dialog').getByRole('textbox', { name: 'Event' }).textContent())
    .toContain('A-17');
  expect(errors).toEqual([]);
});

test('a failed run shows its error with stack frames, and is replayed from the failed step and from the start', async () => {
  const who = await server.user('run-replay');
  const { id } = await deploy(who, ORDERS);
  const failed = await run(who, id, { order: 'B-2', decline: true });
  await reached(who, id, failed, 'failed');
  const page = await signedIn(browser, who, `/workflows/${id}/runs/${failed}`);
  await page.getByText('the card was declined').first().waitFor();
  await page.getByText(/at .*charge\.mjs:\d+:\d+/).waitFor();
  await timelineRow(page, 'tell').getByText('not run').waitFor();

  const mended = ORDERS.replace('if (steps.trigger.event.decline)', 'if (false)');
  await who.put(`/workflows/${id}`, { document: mended });
  await page.getByRole('button', { name: 'Replay from failed step' }).click();
  await page.waitForURL((url) => url.pathname.includes('/runs/') && !url.pathname.endsWith(failed));
  await page.getByRole('main').getByText('succeeded', { exact: true }).waitFor();
  await timelineRow(page, 'check').getByText('reused').waitFor();
  await page.getByRole('link', { name: failed }).click();
  await page.waitForURL(`**/runs/${failed}`);
  await page.getByText('(older)').waitFor();

  await page.getByRole('button', { name: 'Replay from start' }).click();
  await page.waitForURL((url) => url.pathname.includes('/runs/') && !url.pathname.endsWith(failed));
  await page.getByRole('main').getByText('succeeded', { exact: true }).waitFor();
  expect(await timelineRow(page, 'check').getByText('reused').count()).toBe(0);
});

test('a run in progress is updated live', async () => {
  const who = await server.user('run-live');
  const gate = await Gate.open();
  const slow = step('slow', `await fetch("${gate.url}");\nreturn 1;`);
  const { id } = await deploy(who, documentOf('Slow', [CHECK, slow, TELL]));
  const page = await signedIn(browser, who, `/workflows/${id}/runs/${await run(who, id, { order: 1 })}`);
  await timelineRow(page, 'slow').getByText('running').waitFor();
  gate.letThrough();
  await page.getByRole('main').getByText('succeeded', { exact: true }).waitFor();
  await timelineRow(page, 'tell').click();
  await page.getByRole('heading', { name: 'Step tell' }).waitFor();
  await gate.close();
});

test('a run started elsewhere appears in the list', async () => {
  const who = await server.user('run-appears');
  const { id } = await deploy(who, ORDERS);
  const page = await signedIn(browser, who, `/workflows/${id}`);
  await page.getByText('No runs yet').waitFor();
  // The stream does not send earlier events.
  const startRun = async () => {
    await run(who, id, { order: 1 });
    return page.getByRole('table').getByText('succeeded').count();
  };
  await expect.poll(startRun, { timeout: 30_000, interval: 1_000 }).toBeGreaterThan(0);
});

test('a suspended run shows its wait, and is resumed or cancelled from the page', async () => {
  const who = await server.user('run-suspend');
  const waits = step('ask', '$.flow.suspend(3600000);');
  const { id } = await deploy(who, documentOf('Asks', [waits, TELL]));
  const first = await run(who, id);
  await reached(who, id, first, 'waiting');
  const page = await signedIn(browser, who, `/workflows/${id}/runs/${first}`);
  const waiting = page.getByRole('region', { name: 'Waiting' });
  await waiting.getByText('The run is suspended until it is resumed.').waitFor();
  await waiting.getByRole('button', { name: 'Copy resume link' }).click();
  await clipboard(page).toContain('/workflows/resume/');
  await waiting.getByRole('button', { name: 'Resume', exact: true }).click();
  await page.getByRole('main').getByText('succeeded', { exact: true }).waitFor();

  const second = await run(who, id);
  await reached(who, id, second, 'waiting');
  await page.goto(`${server.url}/workflows/${id}/runs/${second}`);
  await waiting.getByRole('button', { name: 'Cancel run' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
  await page.getByRole('main').getByText('cancelled', { exact: true }).waitFor();
});

test('the attempts of a retried step are listed with the wait between them', async () => {
  const who = await server.user('run-retry');
  const document = documentOf('Retries', [CHARGE], 'settings: { retry: { max_retries: 1, delay_seconds: 1 } }\n');
  const { id } = await deploy(who, document);
  const failed = await run(who, id, { decline: true });
  await reached(who, id, failed, 'failed');
  const page = await signedIn(browser, who, `/workflows/${id}/runs/${failed}`);
  await timelineRow(page, 'charge · attempt 2').waitFor();
  await page
    .getByRole('list', { name: 'Timeline' })
    .getByText(/\+ .* until retry/)
    .waitFor();
});

test('runs are filtered by state in the URL, show their error, and failed runs are replayed after confirmation', async () => {
  const who = await server.user('run-list');
  const { id } = await deploy(who, ORDERS);
  await reached(who, id, await run(who, id, { order: 1 }), 'succeeded');
  await reached(who, id, await run(who, id, { order: 2, decline: true }), 'failed');
  const page = await signedIn(browser, who, `/workflows/${id}`);
  const table = page.getByRole('table');
  await table.getByText('charge: the card was declined').waitFor();
  await page.getByRole('navigation', { name: 'Run state' }).getByRole('link', { name: 'Failed' }).click();
  await table.getByText('succeeded').waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('state')).toBe('failed');
  await page.goBack();
  await table.getByText('succeeded').waitFor();

  await who.put(`/workflows/${id}`, { document: ORDERS.replace('if (steps.trigger.event.decline)', 'if (false)') });
  await page.getByRole('button', { name: 'Replay failed runs' }).click();
  await page.getByRole('dialog').getByText('Replay 1 failed run?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
  await expectToast(page, '1 run started');
  await table.getByText('· replay').waitFor();
  await expect.poll(() => table.getByText('succeeded').count(), { timeout: 20_000 }).toBe(2);
});

test('the list of runs shows errors on a narrow screen', async () => {
  const who = await server.user('run-narrow');
  const { id } = await deploy(who, ORDERS);
  await reached(who, id, await run(who, id, { order: 2, decline: true }), 'failed');
  const page = await signedIn(browser, who, `/workflows/${id}`, { width: 390, height: 844 });
  await page.getByRole('table').getByText('charge: the card was declined').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
});

test('the failed step of a long run and its details are visible', async () => {
  const who = await server.user('run-long');
  const many = Array.from({ length: 14 }, (_, index) => step(`step_${index}`, `return ${index};`));
  const { id } = await deploy(who, documentOf('Long', [...many, step('last', 'throw new Error("at the end");')]));
  const failed = await run(who, id);
  await reached(who, id, failed, 'failed');
  const page = await signedIn(browser, who, `/workflows/${id}/runs/${failed}`, { height: 600 });
  await page.getByText('at the end').first().waitFor();
  const inSight = async () => {
    const [row, scale] = [await timelineRow(page, 'last').boundingBox(), await page.locator('.scale').boundingBox()];
    const detail = await page.getByRole('heading', { name: 'Step last' }).boundingBox();
    return row && scale && detail && scale.y < row.y && row.y < detail.y && detail.y < scale.y + 450;
  };
  await expect.poll(inSight).toBe(true);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
});

test('a run stays visible while the server is unreachable, and recovers', async () => {
  const own = await Server.start();
  try {
    const who = await own.user('run-away');
    const { id } = await deploy(who, documentOf('Asks', [step('ask', '$.flow.suspend(3600000);')]));
    const waits = await run(who, id);
    await reached(who, id, waits, 'waiting');
    const page = await signedIn(browser, who, `/workflows/${id}/runs/${waits}`);
    const away = page.getByText('The server cannot be reached.');
    await timelineRow(page, 'ask').waitFor();
    await own.restart(async () => {
      await away.first().waitFor({ timeout: 40_000 });
      await timelineRow(page, 'ask').waitFor();
    });
    await expect.poll(() => away.count(), { timeout: 40_000 }).toBe(0);
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByRole('main').getByText('succeeded', { exact: true }).waitFor();
  } finally {
    await own.stop();
  }
});

test('the arrow keys move through the timeline', async () => {
  const who = await server.user('run-keys');
  const { id } = await deploy(who, ORDERS);
  const done = await run(who, id, { order: 1 });
  await reached(who, id, done, 'succeeded');
  const page = await signedIn(browser, who, `/workflows/${id}/runs/${done}`);
  await timelineRow(page, 'trigger').focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('heading', { name: 'Step check' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('heading', { name: 'Step charge' }).waitFor();
});

test('a run has no serious accessibility violations in light and dark', async () => {
  const who = await server.user('run-axe');
  const { id } = await deploy(who, ORDERS);
  const failed = await run(who, id, { order: 1, decline: true });
  await reached(who, id, failed, 'failed');
  const page = await signedIn(browser, who, `/workflows/${id}/runs/${failed}`);
  await page.getByText('the card was declined').first().waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await timelineRow(page, 'check').click();
  await page.getByText('order is fine').first().waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
});
