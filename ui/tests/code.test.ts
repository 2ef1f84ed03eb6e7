import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { expectToast } from './harness/recording';
import type { Person } from './harness/server';
import { browser, server, stage } from './harness/stage';

stage();

const code = (word: string, props = '') =>
  `export default {\n  name: "Speaker",\n  version: "0.0.1",\n  props: { http: "$.interface.http", ${props} },\n  async run() { this.$emit({ word: "${word}", title: this.title }); },\n};\n`;
const editor = (page: Page) => page.getByRole('textbox', { name: 'Code of Speaker' });
async function write(page: Page, text: string) {
  await editor(page).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}
async function emitted(who: Person, id: string): Promise<unknown> {
  await who.post(`/sources/${id}/run`);
  const { data } = await who.get<{ data: { event: unknown }[] }>(`/sources/${id}/event_summaries?limit=1`);
  return data[0]?.event;
}

test('an error in code is shown, corrected code is saved with Ctrl-S, and prop values are kept', async () => {
  const who = await server.user('editor');
  const title = 'title: { type: "string", label: "Title" }';
  const source = await who.source('speaker', code('one', title), { title: 'kept' });
  const page = await signedIn(browser, who, `/sources/${source.id}/code`);
  const errors = pageErrors(page);
  await editor(page).getByText('"one"').waitFor();
  expect(await page.getByText('Unsaved changes').count()).toBe(0);

  await write(page, code('two', title).replace('async run()', 'async run('));
  await page.getByText('Unsaved changes').waitFor();
  await page.keyboard.press('Control+S');
  await page
    .getByRole('alert')
    .getByText(/Line 5/)
    .waitFor();
  await page.locator('.cm-lint-marker-error').waitFor();
  await expect.poll(() => emitted(who, source.id)).toEqual({ word: 'one', title: 'kept' });

  await write(page, code('two', title));
  await page.keyboard.press('Control+S');
  await expectToast(page, 'Code saved');
  await expect.poll(() => page.getByText('Unsaved changes').count()).toBe(0);
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  await expect.poll(() => emitted(who, source.id)).toEqual({ word: 'two', title: 'kept' });
  expect(errors.filter((words) => !words.includes('422'))).toEqual([]);
});

test('each file of a component is edited in its place, and an error names its file', async () => {
  const who = await server.user('files');
  const component_code = code('" + word + "').replace('export', 'import { word } from "../lib/word";\nexport');
  const component_files = {
    path: 'acme/sources/speaker.mjs',
    files: { 'acme/lib/word.ts': 'export const word: string = "one";\n' },
  };
  const { data } = await who.post<{ data: { id: string } }>('/sources', {
    name: 'files',
    component_code,
    component_files,
  });
  const { id } = data;
  const page = await signedIn(browser, who, `/sources/${id}/code`);
  await page.getByRole('combobox', { name: 'File' }).selectOption('acme/lib/word.ts');
  await editor(page).getByText('"one"').waitFor();
  await write(page, 'export const word: string = ;\n');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('acme/lib/word.ts, line 1').waitFor();
  await page.locator('.cm-lint-marker-error').waitFor();

  await write(page, 'export const word: string = "two";\n');
  await page.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Code saved');
  await expect.poll(() => emitted(who, id)).toMatchObject({ word: 'two' });
  await page.getByRole('combobox', { name: 'File' }).selectOption('acme/sources/speaker.mjs');
  await editor(page).getByText('import').waitFor();
  expect(await page.getByText('Unsaved changes').count()).toBe(0);
});

test('typing over all of the code inserts the text without errors', async () => {
  const who = await server.user('over');
  const source = await who.source('over', code('one'));
  const page = await signedIn(browser, who, `/sources/${source.id}/code`);
  const errors = pageErrors(page);
  await editor(page).getByText('"one"').waitFor();
  await editor(page).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('word');
  await expect.poll(() => editor(page).textContent()).toBe('word');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('(');
  await expect.poll(() => editor(page).textContent()).toBe('(word)');
  expect(errors).toEqual([]);
});

test('an inactive source stays inactive when its code is saved, and TypeScript is shown unchanged', async () => {
  const who = await server.user('typed');
  const typed = code('one').replace('async run()', 'async run(event: { path?: string })');
  const source = await who.source('typed', typed);
  await who.put(`/sources/${source.id}`, { active: false });
  const page = await signedIn(browser, who, `/sources/${source.id}/code`);
  await editor(page).getByText('path?:').waitFor();
  await write(page, typed.replace('one', 'two'));
  await page.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Code saved');
  const { data } = await who.get<{ data: { active: boolean } }>(`/sources/${source.id}`);
  expect(data.active).toBe(false);
});

test('code that needs new values opens the configuration, which deploys it', async () => {
  const who = await server.user('needs');
  const source = await who.source('needs', code('one'));
  const page = await signedIn(browser, who, `/sources/${source.id}/code`);
  await editor(page).getByText('"one"').waitFor();
  await write(page, code('two', 'title: { type: "string", label: "Title" }'));
  await page.keyboard.press('Control+S');
  await page.getByText('The new code needs further values: title is required.').waitFor();
  await page.getByRole('button', { name: 'Enter values' }).click();
  await page.waitForURL(/configuration\?component=sc_/);
  await page.getByLabel('Title').fill('Captain');
  await page.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Configuration saved');
  await expect.poll(() => emitted(who, source.id)).toEqual({ word: 'two', title: 'Captain' });
});

test('new optional props are listed, and a failed hook shows its error', async () => {
  const who = await server.user('hooks');
  const source = await who.source('hooks', code('one'));
  const page = await signedIn(browser, who, `/sources/${source.id}/code`);
  await editor(page).getByText('"one"').waitFor();
  const optional = 'title: { type: "string", label: "Title", optional: true }';
  await write(
    page,
    code('two', optional).replace(
      'async run()',
      'hooks: { async activate() { throw new Error("no power") } },\n  async run()',
    ),
  );
  await page.keyboard.press('Control+S');
  await page.getByText('Not saved: the activate hook failed.').waitFor();
  await page.getByText('no power').first().waitFor();
  await write(page, code('two', optional));
  await page.keyboard.press('Control+S');
  await page.getByText('New props: Title.').waitFor();
});

test('leaving with unsaved code asks for confirmation, and staying keeps it', async () => {
  const who = await server.user('leaver');
  const source = await who.source('leaver', code('one'));
  const page = await signedIn(browser, who, `/sources/${source.id}/code`);
  await editor(page).getByText('"one"').waitFor();
  await write(page, '// mine');
  await page.getByRole('link', { name: 'Accounts' }).click();
  await page.getByRole('dialog').getByText('Your changes to the code will be lost.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await editor(page).getByText('// mine').waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await editor(page).getByText('"one"').waitFor();
});

test('unsaved code is kept while the server is unreachable', async () => {
  const who = await server.user('patient');
  const source = await who.source('patient', code('one'));
  const page = await signedIn(browser, who, `/sources/${source.id}/code`);
  await editor(page).getByText('"one"').waitFor();
  await write(page, code('two'));
  let unanswered = 0;
  await page.route(`**/v1/sources/${source.id}?*`, (asked) => {
    unanswered += 1;
    return asked.abort();
  });
  // Returning to a page refetches its data, with two retries.
  await expect
    .poll(async () => {
      await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
      return unanswered;
    })
    .toBeGreaterThan(3);
  await page.unroute(`**/v1/sources/${source.id}?*`);
  await editor(page).click();
  await page.keyboard.press('Control+S');
  await page.getByText('Code saved').waitFor();
  await expect.poll(() => emitted(who, source.id)).toMatchObject({ word: 'two' });
});

test('code saved elsewhere is not overwritten silently, and unsaved code is kept', async () => {
  const who = await server.user('two-windows');
  const source = await who.source('two-windows', code('one'));
  const page = await signedIn(browser, who, `/sources/${source.id}/code`);
  const note = page.getByText('The code was changed elsewhere since you started editing.');
  await editor(page).getByText('"one"').waitFor();
  await write(page, code('mine'));
  await who.put(`/sources/${source.id}`, { component_code: code('theirs') });
  await page.keyboard.press('Control+S');
  await note.waitFor();
  await editor(page).getByText('"mine"').waitFor();
  await expect.poll(() => emitted(who, source.id)).toMatchObject({ word: 'theirs' });
  await editor(page).click();
  await page.keyboard.press('Control+S');
  await expectToast(page, 'Code saved');
  await note.waitFor({ state: 'detached' });
  await expect.poll(() => emitted(who, source.id)).toMatchObject({ word: 'mine' });

  await write(page, code('more'));
  await who.put(`/sources/${source.id}`, { component_code: code('last') });
  await page.keyboard.press('Control+S');
  await page.getByRole('button', { name: 'Load latest code' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Load latest code' }).click();
  await editor(page).getByText('"last"').waitFor();
  expect(await page.getByText('Unsaved changes').count()).toBe(0);
});

test('the editor has no serious accessibility violations in light and dark', async () => {
  const who = await server.user('axe');
  const source = await who.source('axe', code('one'));
  const page = await signedIn(browser, who, `/sources/${source.id}/code`);
  await editor(page).getByText('"one"').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
});
