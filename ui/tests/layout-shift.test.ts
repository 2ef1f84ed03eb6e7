// Rows that arrive while a page streams move nothing that the user did not ask to move.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signedIn } from './harness/browser';
import { Emitter } from './harness/emitter';
import type { Json } from './harness/server';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, run, step } from './harness/workflows';

stage();

const ARRIVALS = 12;

type Shift = { value: number; moved: string[] };

/** Collects layout shifts from now on. */
async function watchShifts(page: Page) {
  await page.evaluate(() => {
    type Source = { node: Node | null; previousRect: DOMRect; currentRect: DOMRect };
    type Entry = PerformanceEntry & { value: number; hadRecentInput: boolean; sources: Source[] };
    const shifts: unknown[] = [];
    Object.assign(window, { shifts });
    const name = ({ node, previousRect: from, currentRect: to }: Source) =>
      `${node instanceof Element ? node.outerHTML.slice(0, 120) : node?.textContent} from ${from.x},${from.y} to ${to.x},${to.y}`;
    const observer = new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as Entry[])
        if (!hadRecentInput) shifts.push({ value, moved: sources.map(name) });
    });
    observer.observe({ type: 'layout-shift' });
  });
}

const shifts = (page: Page) => page.evaluate(() => (window as unknown as { shifts: Shift[] }).shifts);

/** Waits until the page is still: its queries, fonts and panels are loaded. */
async function settled(page: Page) {
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(1_000);
}

async function expectStill(page: Page, arrive: (index: number) => Promise<unknown>, arrived: () => Promise<unknown>) {
  await settled(page);
  await watchShifts(page);
  for (let index = 0; index < ARRIVALS; index += 1) {
    await arrive(index);
    await page.waitForTimeout(150);
  }
  await arrived();
  await page.waitForTimeout(500);
  expect(await shifts(page)).toEqual([]);
}

test('events of a source arrive without a layout shift', async () => {
  const who = await server.user('still-events');
  const source = await Emitter.deploy(who, 'Orders');
  await source.emit(...Array.from({ length: 5 }, (_, n) => [{ n }, { summary: `Early ${n}` }] as [unknown, Json]));
  const page = await signedIn(browser, who, `/sources/${source.id}`);
  await page.getByRole('link', { name: 'Early 4' }).waitFor();
  await expectStill(
    page,
    (index) => source.run({ emits: [[{ index }, { summary: `Order ${index}` }]] }),
    () => page.getByRole('link', { name: `Order ${ARRIVALS - 1}`, exact: true }).waitFor(),
  );
});

test('logs of a source arrive without a layout shift', async () => {
  const who = await server.user('still-source');
  const source = await Emitter.deploy(who, 'Orders');
  for (let index = 0; index < 5; index += 1) await source.run({ lines: [`early ${index}`] });
  const page = await signedIn(browser, who, `/sources/${source.id}/logs`);
  await page.getByText('early 4').waitFor();
  await expectStill(
    page,
    (index) => source.run({ lines: [`line ${index}`] }),
    () => page.getByText(`line ${ARRIVALS - 1}`).waitFor(),
  );
});

test('runs of a workflow and results on its cards arrive without a layout shift', async () => {
  const who = await server.user('still-runs');
  const { id } = await deploy(who, documentOf('Still', [step('a', 'return 1;'), step('b', 'return 2;')]));
  await run(who, id);
  const page = await signedIn(browser, who, `/workflows/${id}`);
  await page.getByText('Succeeded').first().waitFor();
  const arrive = () => run(who, id);
  await expectStill(page, arrive, () => page.waitForTimeout(1_500));

  await page.goto(`${server.url}/workflows/${id}/document`);
  await page.getByText('completed').first().waitFor();
  await expectStill(page, arrive, () => page.waitForTimeout(1_500));
});
