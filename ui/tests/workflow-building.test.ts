// A workflow from nothing to its first run, by mouse and by keyboard.
import { beforeAll, expect, test } from 'vitest';
import { pageErrors, signedIn } from './harness/browser';
import { replaceText } from './harness/code-editor';
import { Keyboard } from './harness/keyboard';
import {
  backToOutline,
  card,
  choose,
  documentEditor,
  dragTo,
  expression,
  publishShout,
  steps,
  testPanel,
  titles,
  voice,
  workflowId,
} from './harness/outline';
import { expectToast } from './harness/recording';
import { browser, server, stage } from './harness/stage';
import { reached, run } from './harness/workflows';

stage();

beforeAll(() => publishShout(server));

test('a workflow of three steps is built by mouse, tested step by step, deployed and run', async () => {
  const who = await server.user('outline-mouse');
  const page = await signedIn(browser, who, '/workflows/new');
  const errors = pageErrors(page);
  const dialog = page.getByRole('dialog');
  await card(page, 'note').waitFor();
  await choose(page, 'note', 'Remove');
  await expectToast(page, 'Step note removed');
  await expect.poll(() => titles(page)).toEqual(['greet']);

  await page.getByRole('button', { name: 'Add step', exact: true }).click();
  await dialog.getByRole('searchbox').fill('shout');
  // The list before the search has the action, too. A click is lost when the list changes under the pointer.
  await expect.poll(() => dialog.locator('.target').count()).toBe(1);
  await dialog.getByRole('button', { name: /^Shout/ }).click();
  await page.getByLabel('Text', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Text: expression' }).click();
  await expression(page, 'Text').fill('{{ steps.greet.$return_value }}');
  await voice(page).click();
  await page.getByRole('option', { name: 'deep' }).click();
  await backToOutline(page).click();

  await page.getByRole('button', { name: 'Add step', exact: true }).click();
  await dialog.getByRole('button', { name: /^Filter/ }).click();
  await page.getByRole('textbox', { name: 'Continue if' }).waitFor();
  await backToOutline(page).click();
  await expect.poll(() => titles(page)).toEqual(['greet', 'shout', 'filter']);
  // The filter goes between the others.
  await dragTo(page, card(page, 'shout'), card(page, 'filter'));
  await expect.poll(() => titles(page)).toEqual(['greet', 'filter', 'shout']);

  // Each step is tested with the event and the results of those before it.
  await card(page, 'greet').click();
  const event = testPanel(page, 'greet').getByRole('textbox', { name: 'Event of the test' });
  await replaceText(event, '{ "body": { "name": "Grace" } }');
  for (const [name, value] of [
    ['greet', '"Hello Grace"'],
    ['filter', 'completed'],
    ['shout', '"HELLO GRACE in a deep voice"'],
  ] as const) {
    if (name !== 'greet') await card(page, name).click();
    const panel = testPanel(page, name);
    await panel.getByRole('button', { name: 'Test this step' }).click();
    await panel.getByText(value.replaceAll('"', '')).first().waitFor();
    if (name === 'shout') await page.getByText('Result: "Hello Grace"').waitFor();
    await backToOutline(page).click();
  }
  await expect.poll(() => steps(page).getByText('tested', { exact: true }).count()).toBe(3);
  expect((await who.get<{ data: unknown[] }>('/workflows')).data).toEqual([]);

  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await page.getByRole('heading', { name: 'Hello', level: 1 }).waitFor();
  const id = workflowId(page);
  const done = await reached(who, id, await run(who, id, { body: { name: 'Ada' } }), 'succeeded');
  expect(done.steps.map(({ name }) => name)).toEqual(['greet', 'filter', 'shout']);
  expect(done.steps.at(-1)).toMatchObject({ exports: { $return_value: 'HELLO ADA in a deep voice' } });
  const { document } = (await who.get<{ data: { document: string } }>(`/workflows/${id}/versions/1`)).data;
  expect(document).toContain('text: "{{ steps.greet.$return_value }}"\n      voice: "deep"\n');
  expect(document).toContain('settings:\n  concurrency: 4\n');
  expect(errors).toEqual([]);
});

test('a workflow of three steps is built by keyboard, tested step by step, deployed and run', async () => {
  const who = await server.user('outline-keyboard');
  const page = await signedIn(browser, who, '/workflows/new');
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-card') ?? '');
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await card(page, 'greet').waitFor();
  await card(page, 'greet').focus();
  await press('End');
  await expect.poll(focused).toBe('steps-1');
  await press('Delete');
  await expect.poll(() => titles(page)).toEqual(['greet']);
  await expect.poll(focused).toBe('steps-0');

  // The picker starts at the search, and arrow keys move through its results.
  await press('a');
  const search = page.getByRole('dialog').getByRole('searchbox');
  await expect.poll(() => search.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.type('shout');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Shout/ })
    .waitFor();
  await expect.poll(() => page.getByRole('dialog').locator('.target').count()).toBe(1);
  await press('ArrowDown', 'Enter');
  await backToOutline(page).waitFor();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
    .toBe('Back to the outline');
  await page.getByLabel('Text', { exact: true }).focus();
  await page.keyboard.type('hi');
  await voice(page).focus();
  await page.keyboard.type('deep');
  await page.getByRole('option', { name: 'deep', exact: true }).waitFor();
  await press('Enter');
  await expect.poll(() => documentEditor(page).textContent()).toContain('voice: "deep"');
  await backToOutline(page).focus();
  await press('Escape');
  await expect.poll(focused).toBe('steps-1');

  await press('Control+d');
  await expect.poll(() => titles(page)).toEqual(['greet', 'shout', 'shout_2']);
  await expect.poll(focused).toBe('steps-2');
  await press('Alt+ArrowUp');
  await expect.poll(() => titles(page)).toEqual(['greet', 'shout_2', 'shout']);
  await expect.poll(focused).toBe('steps-1');
  await press('F2');
  const name = page.getByRole('dialog').getByLabel('Name');
  await expect.poll(() => name.inputValue()).toBe('shout_2');
  await name.press('Control+a');
  await page.keyboard.type('first');
  await press('Enter');
  await expect.poll(() => titles(page)).toEqual(['greet', 'first', 'shout']);
  await expect.poll(focused).toBe('steps-1');
  await press('Control+z');
  await expect.poll(() => titles(page)).toEqual(['greet', 'shout_2', 'shout']);
  await press('Control+y');
  await expect.poll(() => titles(page)).toEqual(['greet', 'first', 'shout']);
  await expect.poll(() => page.locator('[aria-live=polite]', { hasText: 'Renamed to first' }).count()).toBe(1);

  // Each step is tested from its form, and Escape leads back to its card.
  const keyboard = new Keyboard(page);
  await press('End', 'ArrowUp', 'ArrowUp');
  for (const [place, name, result] of [
    ['steps-0', 'greet', 'Hello world'],
    ['steps-1', 'first', 'HI in a deep voice'],
    ['steps-2', 'shout', 'HI in a deep voice'],
  ] as const) {
    await expect.poll(focused).toBe(place);
    await press('Enter');
    await backToOutline(page).waitFor();
    await keyboard.expectFocus({ name: 'Back to the outline' });
    await testPanel(page, name).waitFor();
    // The editor of the event keeps Tab, and Escape lets it pass.
    await keyboard.tab(({ name }) => name === 'Event of the test' || name === 'Test this step', 'the test');
    if ((await keyboard.focus()).name === 'Event of the test') {
      await press('Escape', 'Tab');
      await keyboard.tabTo('Test this step');
    }
    await press('Enter');
    await testPanel(page, name).getByText(result).first().waitFor();
    await press('Escape');
    await expect.poll(focused).toBe(place);
    await press('ArrowDown');
  }
  await expect.poll(() => steps(page).getByText('tested', { exact: true }).count()).toBe(3);

  await press('Control+s');
  await page.getByRole('heading', { name: 'Hello', level: 1 }).waitFor();
  const id = workflowId(page);
  const done = await reached(who, id, await run(who, id), 'succeeded');
  expect(done.steps.map(({ name }) => name)).toEqual(['greet', 'first', 'shout']);
});
