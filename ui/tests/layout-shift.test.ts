// Rows that arrive while a page streams move nothing else. At the head of a list, newer rows push older ones down; further down
// the list, where the user reads, they are held.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { signedIn } from './harness/browser';
import { Emitter } from './harness/emitter';
import type { Json } from './harness/server';
import { browser, server, stage } from './harness/stage';
import { deploy, documentOf, run, step } from './harness/workflows';

stage();

const ARRIVALS = 10;

type Box = { x: number; y: number; width: number; height: number };
/** An element that moved; no name if it is gone. */
type Moved = { name: string; from: Box; to: Box };

/** Collects layout shifts from now on. */
async function watchShifts(page: Page) {
  await page.evaluate(() => {
    type Source = { node: Node | null; previousRect: DOMRect; currentRect: DOMRect };
    type Entry = PerformanceEntry & { hadRecentInput: boolean; sources: Source[] };
    const moved: unknown[] = [];
    Object.assign(window, { moved });
    const observer = new PerformanceObserver((list) => {
      for (const { sources } of list.getEntries() as Entry[])
        for (const { node, previousRect, currentRect } of sources)
          moved.push({
            name: node instanceof Element ? node.outerHTML.slice(0, 200) : (node?.textContent ?? ''),
            from: previousRect.toJSON(),
            to: currentRect.toJSON(),
          });
    });
    observer.observe({ type: 'layout-shift' });
  });
}

const movedOn = (page: Page) => page.evaluate(() => (window as unknown as { moved: Moved[] }).moved);

/** Waits until the page is still: its queries, fonts and panels are loaded. */
async function settled(page: Page) {
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(2_000);
}

/** Fails if something moves while rows arrive, except rows of `list` that make room for newer ones. */
async function expectStill(page: Page, arrive: (index: number) => Promise<unknown>, list?: Locator) {
  await settled(page);
  await watchShifts(page);
  for (let index = 0; index < ARRIVALS; index += 1) {
    await arrive(index);
    await page.waitForTimeout(150);
  }
  await page.waitForTimeout(2_000);
  const box = await list?.boundingBox();
  const makesRoom = ({ from, to }: Moved) =>
    box !== undefined && box !== null && from.x === to.x && to.y > from.y && from.x >= box.x - 1 && from.y >= box.y - 1;
  expect((await movedOn(page)).filter((one) => !makesRoom(one))).toEqual([]);
}

/** Scrolls down, so that new rows are held. */
async function read(page: Page) {
  const rows = page.locator('[data-scroll]');
  await expect
    .poll(async () => {
      await rows.hover();
      await page.mouse.wheel(0, 200);
      return rows.evaluate(({ scrollTop }) => scrollTop);
    })
    .toBeGreaterThan(100);
}

test('events of a source', async () => {
  const who = await server.user('still-events');
  const source = await Emitter.deploy(who, 'Orders');
  const early = Array.from({ length: 40 }, (_, n): [unknown, Json] => [{ n }, { summary: `Early ${n}` }]);
  await source.emit(...early);
  const page = await signedIn(browser, who, `/sources/${source.id}`);
  await page.getByRole('link', { name: 'Early 39' }).waitFor();
  const arrive = (index: number) => source.run({ emits: [[{ index }, { summary: `Order ${index}` }]] });
  const list = page.getByRole('region', { name: 'Source events' });
  await expectStill(page, arrive, list);
  await page
    .getByText(`Order ${ARRIVALS - 1}`)
    .first()
    .waitFor();
  await read(page);
  await expectStill(page, arrive);
});

test('logs of a source', async () => {
  const who = await server.user('still-logs');
  const source = await Emitter.deploy(who, 'Orders');
  for (let index = 0; index < 20; index += 1) await source.run({ lines: [`early ${index}`] });
  const page = await signedIn(browser, who, `/sources/${source.id}/logs`);
  await page.getByText('early 19').waitFor();
  const arrive = (index: number) => source.run({ lines: [`line ${index}`] });
  const list = page.getByRole('log');
  await expectStill(page, arrive, list);
  await page
    .getByText(`line ${ARRIVALS - 1}`)
    .first()
    .waitFor();
  await read(page);
  await expectStill(page, arrive);
});

test('runs of a workflow, and their results on the cards of the editor', async () => {
  const who = await server.user('still-runs');
  const { id } = await deploy(who, documentOf('Still', [step('a', 'return 1;'), step('b', 'return 2;')]));
  await run(who, id);
  const page = await signedIn(browser, who, `/workflows/${id}`);
  await page.getByText('Succeeded').first().waitFor();
  await expectStill(page, () => run(who, id), page.getByRole('table').first());
  await page.goto(`${server.url}/workflows/${id}/document`);
  await page.getByText('completed').first().waitFor();
  await expectStill(page, () => run(who, id));
});
