import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { pageErrors, signedIn } from './harness/browser';
import { expectToast } from './harness/recording';
import { browser, server, stage } from './harness/stage';

stage();

const code = (word: string) =>
  `export default {\n  name: "Speaker",\n  version: "0.0.1",\n  props: { title: "string", pin: { type: "string", secret: true } },\n  run() { this.$emit({ word: "${word}", title: this.title }); },\n};\n`;

test('versions of a source show code, props and changes, and can be restored', async () => {
  const who = await server.user('source-versions');
  const source = await who.source('speaker', code('one'), { title: 'First', pin: '1234' });
  await who.put(`/sources/${source.id}`, {
    component_code: code('two'),
    configured_props: { title: 'Second', pin: '1234' },
  });
  const page = await signedIn(browser, who, `/sources/${source.id}`);
  const errors = pageErrors(page);
  await page.getByRole('link', { name: 'Versions', exact: true }).click();
  await page.getByRole('heading', { name: 'Version 2' }).waitFor();
  await page.getByText('Current version').waitFor();
  await page.getByRole('link', { name: /^Version 1/ }).click();
  await page.getByRole('textbox', { name: 'Code of version 1' }).getByText('"one"').waitFor();
  const props = page.getByRole('textbox', { name: 'Props of version 1' });
  await expect.poll(() => props.textContent()).toContain('First');
  expect(await props.textContent()).not.toContain('1234');
  await page.getByText(`Created by ${who.name}`).waitFor();
  await page.getByRole('button', { name: 'Changes' }).click();
  const changes = (title: string) => page.getByRole('region', { name: `Changes in ${title}` });
  await expect.poll(() => changes('Code').textContent()).toContain('word: "two"');
  await expect.poll(() => changes('Props').textContent()).toContain('added:   "title": "First"');
  expect(await violationsInBothSchemes(page)).toEqual([]);

  await page.getByRole('button', { name: 'Roll back to this version' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back', exact: true }).click();
  await expectToast(page, 'Rolled back to version 1, now version 3');
  await page.getByRole('heading', { name: 'Version 3' }).waitFor();
  await page.getByText('as a rollback to version 1').waitFor();
  const { data } = await who.get<{ data: { configured_props: { title: string } } }>(`/sources/${source.id}`);
  expect(data.configured_props.title).toBe('First');
  expect(errors).toEqual([]);
});
