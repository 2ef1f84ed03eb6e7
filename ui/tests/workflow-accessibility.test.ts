// The states of the workflow editor that other tests of it do not check with axe.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { signedIn } from './harness/browser';
import { replaceText } from './harness/code-editor';
import { backToOutline, card, choose, documentEditor, expression, publishShout, testPanel } from './harness/outline';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, reached, run, step } from './harness/workflows';

stage();

beforeAll(() => publishShout(server));

const WORKS = step('works', 'console.log("line");\nreturn { list: ["a", { deep: true }] };');
const SHOUT =
  '  - name: shout\n    action: acme-shout\n    props: { text: "{{ steps.works.$return_value.list }}", voice: deep }\n';

async function editorOf(name: string, document: string): Promise<Page> {
  const who = await server.user(name);
  const { id } = await deploy(who, document);
  await reached(who, id, await run(who, id), 'succeeded');
  return signedIn(browser, who, `/workflows/${id}/document`);
}

test('a form with data, completions, a picked run, a result, a secret and the dialog for a name', async () => {
  const page = await editorOf('axe-form', documentOf('Access', [WORKS, SHOUT.replace('list }}', 'list[0] }}')]));
  const accessible = async (state: string) => expect(await violationsInBothSchemes(page), state).toEqual([]);
  await card(page, 'shout').click();
  await page.getByRole('button', { name: 'Insert data' }).click();
  await page.getByRole('button', { name: 'Parts of steps.works', exact: true }).click();
  await accessible('data');
  await expression(page, 'Text').click();
  await page.keyboard.press('End');
  await page.keyboard.type(' {{ steps.works.');
  await page.getByRole('listbox', { name: 'Completions' }).waitFor();
  await accessible('completions');
  await page.keyboard.press('Escape');
  await expression(page, 'Text').fill('{{ steps.works.$return_value.list[0] }}');
  await page.getByRole('button', { name: 'Password', exact: true }).click();
  await page.getByRole('button', { name: 'New secret' }).click();
  await accessible('secret');
  const panel = testPanel(page, 'shout');
  await panel.getByRole('button', { name: 'Run…' }).click();
  await panel.getByLabel('Event of the run').waitFor();
  await accessible('a run');
  await panel.getByRole('button', { name: 'Test this step' }).click();
  await panel.getByText('A in a deep voice').first().waitFor();
  await accessible('result');
  await backToOutline(page).click();
  await choose(page, 'shout', 'Rename');
  await page.getByRole('dialog').getByLabel('Name').waitFor();
  await accessible('name');
});

test('errors, files and dialogs of the document, and both views of a narrow page', async () => {
  const page = await editorOf('axe-document', documentOf('Access', [WORKS]));
  const accessible = async (state: string) => expect(await violationsInBothSchemes(page), state).toEqual([]);
  await card(page, 'works').waitFor();
  await page.getByRole('button', { name: 'Add trigger', exact: true }).click();
  await page.getByRole('dialog').getByText('Schedule').first().waitFor();
  await accessible('triggers');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add file' }).click();
  await page.getByRole('dialog').waitFor();
  await accessible('file');
  await page.keyboard.press('Escape');
  await replaceText(documentEditor(page), 'name: Access\nsteps:\n  - name: works\n    action: acme-none\n');
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await page.getByRole('alert').first().waitFor();
  await accessible('errors of a deployment');
  await card(page, 'works').click();
  await page.getByText('There is no action acme-none').waitFor();
  await accessible('a missing action');
  await replaceText(documentEditor(page), 'name: [');
  await page.getByText('The document has errors').waitFor();
  await accessible('a broken document');
  await page.setViewportSize({ width: 390, height: 844 });
  await accessible('narrow document');
  await page.getByRole('button', { name: 'Outline', exact: true }).click();
  await accessible('narrow outline');
});
