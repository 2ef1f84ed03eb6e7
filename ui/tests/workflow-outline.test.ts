import { beforeAll, expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { signedIn } from './harness/browser';
import { card, choose, documentEditor, publishShout, steps, titles, voice } from './harness/outline';
import { expectToast } from './harness/recording';
import type { Person } from './harness/server';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, reached, run, step } from './harness/workflows';

stage();

beforeAll(() => publishShout(server));

type Stored = { data: { document: string } };
const stored = async (who: Person, id: string, version: number) =>
  (await who.get<Stored>(`/workflows/${id}/versions/${version}`)).data.document;

const COMMENTED = `# Orders of the shop
name: Careful   # my name
triggers:
- http: {} # the shop calls it

steps:

    # Reads the order
    -   name: read
        code: |
            export default async (event) => 1;

    # Passes it on
    -   name: pass
        action: acme-shout   # loud
        props: { text: "{{ steps.read.$return_value }}", voice: 'deep' }
settings: { concurrency: 4 }
`;

test('edits keep comments, layout and Windows line ends, and references follow a rename', async () => {
  const who = await server.user('outline-layout');
  const windows = COMMENTED.replaceAll('\n', '\r\n');
  const { id } = await deploy(who, windows);
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  await card(page, 'read').waitFor();
  expect(await page.getByText('Not deployed', { exact: true }).count()).toBe(0);
  await choose(page, 'read', 'Rename');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('order');
  await dialog.getByLabel('Change 1 reference in other steps').waitFor();
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await card(page, 'pass').click();
  await voice(page).fill('high');
  await voice(page).press('Enter');
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await expectToast(page, 'Version 2 deployed');
  const expected = windows
    .replace('name: read', 'name: order')
    .replace('steps.read', 'steps.order')
    .replace("'deep'", "'high'");
  expect(await stored(who, id, 2)).toBe(expected);
});

test('a removed step comes back, and the outline of a broken document is kept and marked', async () => {
  const who = await server.user('outline-broken');
  const { id } = await deploy(
    who,
    documentOf('Three', [step('a', 'return 1;'), step('b', 'return 2;'), step('c', 'return 3;')]),
  );
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  await choose(page, 'b', 'Remove');
  await expect.poll(() => titles(page)).toEqual(['a', 'c']);
  await choose(page, 'c', 'Duplicate');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => titles(page)).toEqual(['a', 'b', 'c', 'c_2']);

  const editor = documentEditor(page);
  await editor.click();
  await editor.press('Control+Home');
  await page.keyboard.type('x: [');
  await page.getByText('Syntax error.').waitFor();
  expect(await titles(page)).toEqual(['a', 'b', 'c', 'c_2']);
  expect(await page.getByRole('button', { name: 'Add step', exact: true }).isDisabled()).toBe(true);
  for (let count = 0; count < 5; count += 1) await editor.press('Backspace');
  await page.getByText('Syntax error.').waitFor({ state: 'detached' });
});

test('a secret of an action is a secret of the document', async () => {
  const who = await server.user('outline-secret');
  const head = 'name: Hidden\nsteps:\n  - name: shout\n    action: acme-shout\n    props: { text: x, voice: deep }\n';
  const { id } = await deploy(who, head);
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  await card(page, 'shout').click();
  await page.getByRole('button', { name: 'Password', exact: true }).click();
  await page.getByRole('button', { name: 'New secret' }).click();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Value missing').waitFor();
  await page.getByRole('textbox', { name: 'PASSWORD' }).fill('s3cret');
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await expectToast(page, 'Version 2 deployed');
  expect(await stored(who, id, 2)).toBe(
    head
      .replace('steps:', 'env:\n  PASSWORD: { secret: true }\nsteps:')
      .replace('voice: deep }', 'voice: deep, password: "{{ process.env.PASSWORD }}" }'),
  );
});

test('results of the newest run appear without moving anything', async () => {
  const who = await server.user('outline-live');
  const { id } = await deploy(
    who,
    documentOf('Live', [step('works', 'return 1;'), step('fails', 'throw new Error("no");')]),
  );
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  await card(page, 'fails').waitFor();
  await page.waitForLoadState('networkidle').catch(() => undefined);
  const boxes = () =>
    steps(page)
      .locator('li')
      .evaluateAll((items) => items.map((item) => item.getBoundingClientRect().toJSON()));
  const before = await boxes();
  await reached(who, id, await run(who, id), 'failed');
  await steps(page).getByText('failed').waitFor();
  await steps(page).getByText('completed').waitFor();
  expect(await boxes()).toEqual(before);
});

test('the outline, a form and the dialogs have no serious accessibility violations', async () => {
  const who = await server.user('outline-axe');
  const head = 'triggers:\n  - http: {}\n  - schedule: { interval_seconds: 3600 }\n  - events: { from: "dc_*" }\n';
  const shout =
    '  - name: shout\n    action: acme-shout\n    props: { text: "{{ steps.works.$return_value }}", voice: deep }\n';
  const { id } = await deploy(who, documentOf('Access', [step('works', 'return "1";'), shout], head));
  await reached(who, id, await run(who, id), 'succeeded');
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  await steps(page).getByText('completed').first().waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Actions for shout' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add step', exact: true }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Delay/ })
    .waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await card(page, 'shout').click();
  await voice(page).waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Back to the outline' }).click();
  for (const trigger of ['HTTP request', 'Schedule', 'Events']) {
    await page
      .getByRole('list', { name: /^Triggers/ })
      .getByRole('button', { name: new RegExp(`^${trigger}`) })
      .click();
    expect(await violationsInBothSchemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Back to the outline' }).click();
  }
});

test('on a narrow page the outline and the document are tabs', async () => {
  const page = await signedIn(browser, await server.user('outline-narrow'), '/workflows/new', {
    width: 390,
    height: 844,
  });
  await documentEditor(page).waitFor();
  await page.getByRole('button', { name: 'Outline', exact: true }).click();
  await card(page, 'greet').waitFor();
  expect(await documentEditor(page).isVisible()).toBe(false);
  await choose(page, 'greet', 'Show in document');
  await documentEditor(page).waitFor();
});
