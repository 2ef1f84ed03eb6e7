import { expect, test } from 'vitest';
import { seriousViolations, violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { replaceText } from './harness/code-editor';
import { documentEditor } from './harness/outline';
import { expectToast } from './harness/recording';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, reached, run, step } from './harness/workflows';

stage();

const HELLO = documentOf('Hello', [step('hello', 'return "hello";')]);

test('the example of a new workflow is deployed unchanged, and runs', async () => {
  const who = await server.user('doc-new');
  const page = await signedIn(browser, who, '/workflows/new');
  const errors = pageErrors(page);
  await documentEditor(page).waitFor();
  await page.getByRole('button', { name: 'Deploy' }).click();
  await page.getByRole('heading', { name: 'Hello', level: 1 }).waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const done = await reached(who, id, await run(who, id, { body: { name: 'Ada' } }), 'succeeded');
  expect(done.steps.map(({ name }) => name)).toEqual(['greet', 'note']);
  expect(errors).toEqual([]);
});

test('the editor completes fields and values of the schema', async () => {
  const page = await signedIn(browser, await server.user('doc-complete'), '/workflows/new');
  const editor = documentEditor(page);
  const offered = page.getByRole('listbox');
  await replaceText(editor, 'name: Complete\n');
  await editor.press('Control+End');
  await page.keyboard.type('trig');
  await offered.getByRole('option', { name: /triggers/ }).click();
  await page.keyboard.type('sche');
  await offered.getByRole('option', { name: /schedule/ }).waitFor();

  await replaceText(editor, 'name: Complete\nsteps:\n  - name: one\n    ');
  await editor.press('Control+End');
  await page.keyboard.press('Control+Space');
  await offered.getByRole('option', { name: /timeout_seconds/ }).waitFor();
  await offered.getByRole('option', { name: /^code/ }).waitFor();
  expect(await offered.getByRole('option', { name: /^name/ }).count()).toBe(0);

  await replaceText(editor, 'name: Complete\ntriggers:\n  - http: { custom_response: ');
  await editor.press('Control+End');
  await page.keyboard.press('Control+Space');
  await offered.getByRole('option', { name: 'true' }).waitFor();
});

test('an unknown field is marked while it is typed', async () => {
  const page = await signedIn(browser, await server.user('doc-check'), '/workflows/new');
  await replaceText(documentEditor(page), 'name: Invalid\nsteps:\n  - name: one\n    cod: x\n');
  await page.locator('.cm-lintRange-error', { hasText: 'cod' }).hover();
  await page.getByText('Unknown field cod.').first().waitFor();
});

test('errors of an invalid document are shown at their position, and the corrected document is deployed', async () => {
  const who = await server.user('doc-refused');
  const { id } = await deploy(who, HELLO);
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  const editor = documentEditor(page);
  const action = 'name: Hello\nsteps:\n  - name: hello\n    action: no-such-component\n';
  await replaceText(editor, action);
  await page.getByText('Not deployed', { exact: true }).waitFor();
  await editor.press('Control+s');
  const errorList = page.getByRole('alert').filter({ hasText: '4:' });
  await errorList.getByText(/steps\[0\]\.action/).waitFor();
  await page.locator('.cm-lintRange-error', { hasText: 'no-such-component' }).waitFor();
  expect((await who.get<{ data: { version: number } }>(`/workflows/${id}`)).data.version).toBe(1);

  await replaceText(editor, HELLO.replace('"hello"', '"hello again"'));
  await page.getByRole('button', { name: 'Deploy' }).click();
  await expectToast(page, 'Version 2 deployed');
  await errorList.waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Deploy' }).isDisabled()).toBe(true);
});

test('files of steps are added, renamed, removed and deployed with the document', async () => {
  const who = await server.user('doc-files');
  const { id } = await deploy(who, HELLO);
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  await replaceText(documentEditor(page), 'name: Hello\nsteps:\n  - name: hello\n    file: ./hello.mjs\n');
  await page.getByRole('button', { name: 'Add file' }).click();
  const dialog = page.getByRole('dialog');
  await expect.poll(() => dialog.getByLabel('Path').inputValue()).toBe('./hello.mjs');
  await dialog.getByRole('button', { name: 'Add file' }).click();
  await replaceText(
    page.getByRole('textbox', { name: 'File ./hello.mjs' }),
    'export default async (event) => "from a file";\n',
  );
  await page.getByRole('button', { name: 'Deploy' }).click();
  await expectToast(page, 'Version 2 deployed');
  const deployed = await who.get<{ data: { files: Record<string, string> } }>(`/workflows/${id}/versions/2`);
  expect(Object.values(deployed.data.files).join()).toContain('from a file');

  await page.getByRole('button', { name: 'Rename ./hello.mjs' }).click();
  await dialog.getByLabel('Path').fill('./other.mjs');
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByRole('button', { name: './other.mjs', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Remove ./other.mjs' }).click();
  await dialog.getByRole('button', { name: 'Remove file' }).click();
  await page.getByRole('button', { name: './other.mjs', exact: true }).waitFor({ state: 'detached' });
});

test('declared secrets are deployed with the document and never shown again', async () => {
  const who = await server.user('doc-secrets');
  const { id } = await deploy(who, HELLO);
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  await replaceText(documentEditor(page), `env:\n  TOKEN: { secret: true }\n${HELLO}`);
  await page.getByText('Value missing').waitFor();
  await page.getByRole('button', { name: 'Deploy' }).click();
  await page
    .getByRole('alert')
    .getByText(/env\.TOKEN/)
    .waitFor();
  await page.getByLabel('TOKEN').fill('s3cret-value');
  await page.getByRole('button', { name: 'Deploy' }).click();
  await expectToast(page, 'Version 2 deployed');
  await page.getByText('Value set').waitFor();
  expect(await page.getByLabel('TOKEN').inputValue()).toBe('');
  expect(await page.content()).not.toContain('s3cret-value');

  await page.getByLabel('TOKEN').fill('another');
  await page.getByRole('button', { name: 'Deploy' }).click();
  await expectToast(page, 'Secrets saved');
  expect((await who.get<{ data: { version: number } }>(`/workflows/${id}`)).data.version).toBe(2);
});

test('leaving with changes that are not deployed asks for confirmation', async () => {
  const who = await server.user('doc-leave');
  const { id } = await deploy(who, HELLO);
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  await replaceText(documentEditor(page), `# mine\n${HELLO}`);
  await page.getByRole('link', { name: 'Versions', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => documentEditor(page).textContent()).toContain('# mine');
  await page.getByRole('link', { name: 'Versions', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('heading', { name: 'Version 1' }).waitFor();
});

test('a version deployed elsewhere is reported before it is replaced, and can be loaded', async () => {
  const who = await server.user('doc-two');
  const { id } = await deploy(who, HELLO);
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  const editor = documentEditor(page);
  await editor.getByText('return "hello";').waitFor();
  await replaceText(editor, HELLO.replace('"hello"', '"mine"'));
  await who.put(`/workflows/${id}`, { document: HELLO.replace('"hello"', '"theirs"') });
  await page.getByRole('button', { name: 'Deploy' }).click();
  await page.getByText('Version 2 was deployed since you started editing.').waitFor();
  await editor.getByText('return "mine";').waitFor();
  expect((await who.get<{ data: { version: number } }>(`/workflows/${id}`)).data.version).toBe(2);
  await page.getByRole('button', { name: 'Deploy' }).click();
  await expectToast(page, 'Version 3 deployed');

  await replaceText(editor, HELLO.replace('"hello"', '"mine again"'));
  await who.put(`/workflows/${id}`, { document: HELLO.replace('"hello"', '"last"') });
  await page.getByRole('button', { name: 'Deploy' }).click();
  await page.getByRole('button', { name: 'Load version 4' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Load version 4' }).click();
  await editor.getByText('return "last";').waitFor();
  await page.getByRole('button', { name: 'Deploy', disabled: true }).waitFor();
});

test('unsaved changes are kept if the workflow was deleted elsewhere', async () => {
  const who = await server.user('doc-gone');
  const { id } = await deploy(who, documentOf('Short-lived', [step('one', 'return 1;')]));
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  const editor = page.getByRole('textbox', { name: 'Workflow document' });
  await replaceText(editor, 'name: My day of work\n');
  await server.call('DELETE', `/workflows/${id}`, undefined, who.key);
  await page.getByRole('switch', { name: 'Active', checked: true }).click();
  await page.getByText('The workflow was deleted elsewhere.').waitFor();
  expect(await editor.textContent()).toContain('My day of work');
});

test('versions show their document and the changes to the current one, and can be restored', async () => {
  const who = await server.user('doc-versions');
  const { id } = await deploy(who, HELLO);
  await who.put(`/workflows/${id}`, { document: HELLO.replace('"hello"', '"bye"') });
  const page = await signedIn(browser, who, `/workflows/${id}/versions`);
  await page.getByRole('heading', { name: 'Version 2' }).waitFor();
  await page.getByRole('link', { name: /^Version 1/ }).click();
  await page.getByRole('textbox', { name: 'Document of version 1' }).getByText('return "hello";').waitFor();
  await page.getByRole('button', { name: 'Changes' }).click();
  const changes = page.getByRole('region', { name: 'Changes in Document' });
  await expect.poll(() => changes.textContent()).toContain('removed:           return "bye";');
  await expect.poll(() => changes.textContent()).toContain('added:           return "hello";');
  expect(await seriousViolations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Roll back to this version' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back', exact: true }).click();
  await expectToast(page, 'Rolled back to version 1');
  await page.getByText('Current version').waitFor();
  expect((await who.get<{ data: { version: number } }>(`/workflows/${id}`)).data.version).toBe(1);
  await page.getByRole('link', { name: 'Document', exact: true }).click();
  await expect.poll(() => documentEditor(page).textContent()).toContain('return "hello";');
});

test('the editor has no serious accessibility violations in light and dark', async () => {
  const who = await server.user('doc-axe');
  const { id } = await deploy(who, `env:\n  TOKEN: { secret: true }\n${HELLO}`, { secrets: { TOKEN: 'x' } });
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  await documentEditor(page).waitFor();
  await page.getByText('Value set').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.goto(`${server.url}/workflows/new`);
  await documentEditor(page).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
});
