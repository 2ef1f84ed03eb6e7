import { expect, test } from 'vitest';
import { seriousFaults } from './harness/accessibility';
import { complaints, type Look, signedIn } from './harness/browser';
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

test('lines show as they are written, each invocation by itself, and errors with the component’s own line', async () => {
  const { source, page } = await logsOf('lines');
  const heard = complaints(page);
  await page.getByText('Nothing logged yet').waitFor();
  await source.run({ lines: ['first of one', 'second of one'] });
  await page.getByText('second of one').waitFor();
  await page.getByText('2 lines').waitFor();
  await source.run({ lines: ['before it fails'], fail: 'no such order' });
  await page.getByText('TypeError: no such order').waitFor();
  await page.getByText('1 error', { exact: true }).waitFor();
  const own = page.getByRole('link', { name: `line ${THROWS_AT}`, exact: true });
  expect(await own.getAttribute('href')).toBe(`/sources/${source.id}/code?line=${THROWS_AT}`);
  await page.getByText('refuse (component').waitFor();
  // The newest invocation is first, its lines in the order in which they were written.
  const text = (await page.getByRole('log').textContent()) ?? '';
  const places = ['before it fails', 'no such order', 'first of one', 'second of one'].map((words) =>
    text.indexOf(words),
  );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(heard).toEqual([]);
});

test('lines are filtered by level and text, which are in the address', async () => {
  const { source, page } = await logsOf('filter');
  await source.run({ lines: ['apples', 'Pears'], fail: 'no bananas' });
  await page.getByText('TypeError: no bananas').waitFor();
  await page.getByRole('link', { name: 'Errors', exact: true }).click();
  await page.getByText('apples').waitFor({ state: 'detached' });
  await page.getByText('TypeError: no bananas').waitFor();
  await page.getByRole('link', { name: 'All', exact: true }).click();
  await page.getByLabel('Filter the lines').fill('pears');
  await page.getByText('apples').waitFor({ state: 'detached' });
  await page.getByText('Pears').waitFor();
  expect(page.url()).toContain('q=pears');
  await page.getByLabel('Filter the lines').fill('nothing has this');
  await page.getByText('No line matches').waitFor();
});

test('a filter says how far it has looked, goes on through older lines, and leaves an invocation its facts', async () => {
  const { source, page } = await logsOf('looking');
  await source.run({ lines: ['the needle', ...Array.from({ length: 59 }, (_, n) => `first ${n}.`)] });
  await page.getByText('60 lines').first().waitFor();
  await source.run({ lines: Array.from({ length: 90 }, (_, n) => `second ${n}.`) });
  await page.getByText('second 0.').waitFor();
  await expect.poll(async () => (await page.getByRole('log').textContent())?.includes('90 lines'), PATIENT).toBe(true);
  await page.goto(`${page.url()}?q=needle`);
  await page.getByText('None in the newest 100 lines.').waitFor();
  await page.getByRole('button', { name: 'Search older lines' }).click();
  await page.getByText('the needle').waitFor();
  await page.getByText('1 of 60 lines').waitFor();
  await page.getByText('1 of 150 lines').waitFor();
});

test('codes for colours stay text', async () => {
  const { source, page } = await logsOf('colours');
  await source.run({ lines: ['\u001b[31mred\u001b[0m and <b>bold</b>'] });
  await page.getByText('␛[31mred␛[0m and <b>bold</b>').waitFor();
});

test('older lines come by scrolling to the end, and new ones wait meanwhile', async () => {
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

test.each(['light', 'dark'] as const)(
  'the log has no serious fault for those who cannot see it well, %s',
  async (colorScheme) => {
    const { source, page } = await logsOf(`axe-logs-${colorScheme}`, { colorScheme });
    await source.run({ lines: ['a line'], fail: 'refused' });
    await page.getByText('TypeError: refused').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
  },
);
