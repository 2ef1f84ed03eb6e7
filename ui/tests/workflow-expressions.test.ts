import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { replaceText } from './harness/code-editor';
import { card, documentEditor, expression, testPanel } from './harness/outline';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, reached, run, step } from './harness/workflows';

stage();

const LOAD = step('load', 'return { total: 5, items: [{ sku: "A-1" }] };');
const CHARGE = `${step('charge', 'return this.amount;').replace('async run', 'props: { amount: "integer" },\n        async run')}    props: { amount: "{{ event.id }}" }
`;
const ORDERS = `${documentOf('Orders', [LOAD, CHARGE, step('last', 'return 1;')])}env: { SHOP: "https://shop.test", TOKEN: { secret: true } }
`;

const offered = (page: Page) => page.getByRole('listbox', { name: 'Completions' }).getByRole('option');

/** Moves the mouse over a part of the text of an editor. */
async function hoverText(page: Page, editor: Locator, part: string) {
  const at = await editor.locator('.cm-line').evaluate((line, part) => {
    const text = line.ownerDocument.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    for (let node = text.nextNode(); node; node = text.nextNode()) {
      const start = node.textContent?.indexOf(part) ?? -1;
      if (start < 0) continue;
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, start + part.length);
      const { x, y, width, height } = range.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    }
    throw new Error('no such text');
  }, part);
  await page.mouse.move(at.x, at.y, { steps: 3 });
}

/** CodeMirror passes over keys until the list has been there for 75 ms, so that nobody chooses by accident. */
async function accept(page: Page, hasText: string) {
  await offered(page).filter({ hasText }).waitFor();
  await page.waitForTimeout(150);
  await page.keyboard.press('Enter');
}

test('a field completes the data of the last run, shows types on hover and the value', async () => {
  const who = await server.user('expression-run');
  const { id } = await deploy(who, ORDERS, { secrets: { TOKEN: 'x' } });
  await reached(who, id, await run(who, id, { id: 6, headers: { 'content-type': 'text/plain' } }), 'succeeded');
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  const errors = pageErrors(page);
  await card(page, 'charge').click();
  const amount = expression(page, 'amount');
  const result = page.locator('[id$="-result"]');
  await expect.poll(() => result.textContent()).toMatch(/Result:\s*6\s*number/);
  await hoverText(page, amount, 'id');
  await page.locator('.cm-tooltip-hover', { hasText: 'event.id: number' }).waitFor();

  await amount.press('Control+a');
  await page.keyboard.type('{{ st');
  await accept(page, 'steps');
  await page.keyboard.type('.');
  // Only earlier steps are offered.
  await offered(page).filter({ hasText: 'load' }).waitFor();
  expect(await offered(page).filter({ hasText: 'last' }).count()).toBe(0);
  await page.keyboard.type('load.$return_value.items.');
  await accept(page, '[0]');
  await page.keyboard.type('.sku.toLow');
  await accept(page, 'toLowerCase');
  await page.keyboard.type(') }}');
  await expect.poll(() => result.textContent()).toMatch(/Result:\s*"a-1"\s*string/);

  await amount.press('Control+a');
  await page.keyboard.type('{{ event.headers.cont');
  await accept(page, 'content-type');
  await expect.poll(() => amount.textContent()).toContain('event.headers["content-type"]');
  await amount.press('Control+a');
  await page.keyboard.type('{{ process.env.');
  await offered(page).filter({ hasText: 'TOKEN' }).filter({ hasText: 'secret' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.type('SHOP }}');
  await expect.poll(() => result.textContent()).toContain('https://shop.test');
  await amount.fill('{{ event.nothing.here }}');
  await expect.poll(() => result.textContent()).toContain('Cannot read properties of undefined');
  // Tab leaves the field.
  await page.keyboard.press('Tab');
  expect(await amount.evaluate((element) => element === document.activeElement)).toBe(false);
  expect(await violationsInBothSchemes(page)).toEqual([]);
  expect(errors).toEqual([]);
});

test('before a run, the event of the test is a sample, and a test supplies the data', async () => {
  const who = await server.user('expression-sample');
  const page = await signedIn(browser, who, '/workflows/new');
  await replaceText(documentEditor(page), ORDERS.replace(', TOKEN: { secret: true }', ''));
  await card(page, 'charge').click();
  const panel = testPanel(page, 'charge');
  await replaceText(panel.getByRole('textbox', { name: 'Event of the test' }), '{ "id": 41 }');
  const result = page.locator('[id$="-result"]');
  await expect.poll(() => result.textContent()).toMatch(/Sample result:\s*41/);
  const amount = expression(page, 'amount');
  await amount.fill('{{ steps.load.$return_value.total }}');
  await expect.poll(() => result.textContent()).toContain('There is no data of load yet');
  await panel.getByRole('button', { name: 'Test up to here' }).click();
  await expect.poll(() => result.textContent()).toMatch(/Result:\s*5\s*number/);
  // A value of the tree is inserted at the cursor.
  await amount.fill('');
  await page.getByRole('button', { name: 'Insert data' }).click();
  await page.getByRole('button', { name: /^Insert event/ }).click();
  await expect.poll(() => amount.textContent()).toBe('{{ event }}');
});

test('the code of steps completes the same data, in the document and in files', async () => {
  const who = await server.user('expression-code');
  const file = 'export default defineComponent({\n  async run({ steps }) {\n    return steps.load\n  },\n});\n';
  const document = `${documentOf('Files', [LOAD])}  - name: filed\n    file: ./filed.mjs\n`;
  const { id } = await deploy(who, document, { files: { './filed.mjs': file } });
  await reached(who, id, await run(who, id, { id: 1 }), 'succeeded');
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  const editor = documentEditor(page);
  await editor.getByText('total').click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('steps.load.$return_value.');
  await offered(page).filter({ hasText: 'total' }).filter({ hasText: 'number' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: './filed.mjs', exact: true }).click();
  const code = page.getByRole('textbox', { name: 'File ./filed.mjs' });
  await code.getByText('load').click();
  await page.keyboard.press('End');
  await page.keyboard.type('.$return_value.');
  await offered(page).filter({ hasText: 'items' }).filter({ hasText: 'list of 1' }).waitFor();
});
