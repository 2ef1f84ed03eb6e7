import { expect, test } from 'vitest';
import { violationsInBothSchemes } from './harness/accessibility';
import { type Look, pageErrors, signedIn } from './harness/browser';
import { Emitter, THROWS_AT } from './harness/emitter';
import { browser, server, stage } from './harness/stage';

stage();

const PATIENT = { timeout: 20_000 };

async function logsOf(name: string, look: Look = {}) {
  const who = await server.user(name);
  const source = await Emitter.deploy(who, 'Orders');
  const page = await signedIn(browser, who, `/sources/${source.id}/logs`, look);
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  return { who, source, page };
}

test('lines appear live, grouped by invocation, and errors link to the line of the component', async () => {
  const { source, page } = await logsOf('lines');
  const errors = pageErrors(page);
  await page.getByText('No logs yet').waitFor();
  await source.run({ lines: ['first of one', 'second of one'] });
  await page.getByText('second of one').waitFor();
  await page.getByText('2 lines').waitFor();
  await source.run({ lines: ['before it fails'], fail: 'no such order' });
  await page.getByText('TypeError: no such order').waitFor();
  await page.getByText('1 error', { exact: true }).waitFor();
  const own = page.getByRole('link', { name: `line ${THROWS_AT}`, exact: true });
  expect(await own.getAttribute('href')).toBe(`/sources/${source.id}/code?line=${THROWS_AT}`);
  await page.getByText('refuse (component').waitFor();
  // The newest invocation is first, with its lines in order.
  const text = (await page.getByRole('log').textContent()) ?? '';
  const places = ['before it fails', 'no such order', 'first of one', 'second of one'].map((words) =>
    text.indexOf(words),
  );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(errors).toEqual([]);
});

test('lines are filtered by level and text, which are in the URL', async () => {
  const { source, page } = await logsOf('filter');
  await source.run({ lines: ['apples', 'Pears'], fail: 'no bananas' });
  await page.getByText('TypeError: no bananas').waitFor();
  await page.getByRole('link', { name: 'Errors', exact: true }).click();
  await page.getByText('apples').waitFor({ state: 'detached' });
  await page.getByText('TypeError: no bananas').waitFor();
  await page.getByRole('link', { name: 'All', exact: true }).click();
  await page.getByLabel('Filter lines').fill('pears');
  await page.getByText('apples').waitFor({ state: 'detached' });
  await page.getByText('Pears').waitFor();
  expect(page.url()).toContain('q=pears');
  await page.getByLabel('Filter lines').fill('nothing has this');
  await page.getByText('No matching lines').waitFor();
});

test('a search covers all stored lines, and shows new matches as they come', async () => {
  const { source, page } = await logsOf('looking');
  await source.run({ lines: ['the needle', ...Array.from({ length: 59 }, (_, n) => `first ${n}.`)] });
  await page.getByText('60 lines').first().waitFor();
  await source.run({ lines: Array.from({ length: 90 }, (_, n) => `second ${n}.`) });
  await page.getByText('second 0.').waitFor();
  await page.goto(`${page.url()}?q=needle+level:info`);
  await page.getByText('the needle').waitFor();
  await page.getByText('1 line', { exact: true }).waitFor();
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  await source.run({ lines: ['no match', 'another needle'] });
  await page.getByText('another needle').waitFor();
  expect(await page.getByText('no match').count()).toBe(0);
});

test('ANSI colour codes stay text', async () => {
  const { source, page } = await logsOf('colours');
  await source.run({ lines: ['\u001b[31mred\u001b[0m and <b>bold</b>'] });
  await page.getByText('␛[31mred␛[0m and <b>bold</b>').waitFor();
});

test('scrolling to the end loads older lines, and new ones are held', async () => {
  const { source, page } = await logsOf('older-lines');
  for (const name of ['first', 'second', 'third']) {
    await source.run({ lines: Array.from({ length: 60 }, (_, n) => `${name} ${n}.`) });
    await page.getByText(`${name} 0.`).waitFor();
  }
  await page.reload();
  const log = page.getByRole('log');
  await log.getByText('third 0.').waitFor();
  await expect
    .poll(async () => {
      await log.hover();
      await page.mouse.wheel(0, 5_000);
      return log.getByText('first 59.').count();
    }, PATIENT)
    .toBe(1);
  await source.run({ lines: ['something new'] });
  await page.getByRole('button', { name: '1 new line' }).click();
  await log.getByText('something new').waitFor();
});

test('the log has no serious accessibility violations in light and dark', async () => {
  const { source, page } = await logsOf('axe-logs');
  await source.run({ lines: ['a line'], fail: 'refused' });
  await page.getByText('TypeError: refused').waitFor();
  expect(await violationsInBothSchemes(page)).toEqual([]);
});
