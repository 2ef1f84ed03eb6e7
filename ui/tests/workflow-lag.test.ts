// Input to paint in a long document. The file runs alone, because it measures.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { signedIn } from './harness/browser';
import { card, documentEditor, expression, publishShout, steps, voice } from './harness/outline';
import { browser, ownStage, server } from './harness/stage';
import { deploy } from './harness/workflows';

ownStage();

beforeAll(() => publishShout(server));

const STEPS = 200;
/** Of half of the keys of each kind. */
const PAINT_MS = 50;
/** It includes work after the paint, such as parsing and checking the document. */
const PROCESSOR_MS = 100;
/** Undo draws the whole document again, and opening a step draws a form. */
const LARGER_MS = 150;
const LARGER = ['undo', 'open'];
const TRIES = 25;
/** Event Timing does not report faster input. */
const SHORTEST_MS = 16;
/** Further rounds are for a machine that was busy with something else. */
const ROUNDS = 5;
const BETWEEN_MS = 100;

/**
 * The cost of a key, in milliseconds. `median` is the time to the next frame that shows its effect, by Event Timing.
 * `processor` is the mean time that all threads of the page compute for a key, which depends less on other programs.
 */
type Cost = { median: number; processor: number };
/** `prepare` is not measured. */
type Act = { act: (index: number) => Promise<void>; prepare?: () => Promise<void> };

async function observeKeys(page: Page) {
  await page.evaluate(() => {
    const keys = { slowest: 0 };
    Object.assign(window, { keys });
    const observer = new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries())
        if (name === 'keydown') keys.slowest = Math.max(keys.slowest, duration);
    });
    observer.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  });
}

/** Waits until a key is painted and reported, so that keys do not queue. Returns its time; 0 if it was not reported. */
function timeOfKey(page: Page): Promise<number> {
  return page.evaluate(async (pause) => {
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    await frame();
    await new Promise((resolve) => setTimeout(resolve, pause));
    const { keys } = window as unknown as { keys: { slowest: number } };
    const { slowest } = keys;
    keys.slowest = 0;
    return slowest;
  }, BETWEEN_MS);
}

function median(times: number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[half] ?? 0) : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
}

async function round(page: Page, { act, prepare }: Act): Promise<Cost> {
  const times: number[] = [];
  let processor = 0;
  for (let index = 0; index < TRIES; index += 1) {
    if (prepare) await prepare();
    await timeOfKey(page);
    const before = await processorMs();
    await act(index);
    times.push(Math.max(await timeOfKey(page), SHORTEST_MS));
    processor += (await processorMs()) - before;
  }
  return { median: median(times), processor: Math.round(processor / TRIES) };
}

const isFast = ({ median, processor }: Cost) => median <= PAINT_MS && processor <= PROCESSOR_MS;
const processorLimit = (name: string) => (LARGER.includes(name) ? LARGER_MS : PROCESSOR_MS);

/** The cheapest round. A busy machine may be slow for a while, but a slow page is slow each time. */
async function costOf(page: Page, measured: Act): Promise<Cost> {
  let best = await round(page, measured);
  for (let more = 1; more < ROUNDS && !isFast(best); more += 1) {
    const { median, processor } = await round(page, measured);
    best = { median: Math.min(best.median, median), processor: Math.min(best.processor, processor) };
  }
  return best;
}

/** The processor time of all pages. */
async function processorMs(): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const pages = processInfo.filter(({ type }) => type === 'renderer');
  return pages.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0);
}

test('a document of 200 steps is edited without lag', { timeout: 600_000 }, async () => {
  const who = await server.user('outline-long');
  const one = (index: number) =>
    `  - name: step_${index}\n    action: acme-shout # number ${index}\n    props:\n      text: "{{ steps.step_0.$return_value }}"\n      voice: deep\n`;
  const text = `name: Long\nsteps:\n${Array.from({ length: STEPS }, (_, index) => one(index)).join('')}`;
  const { id } = await deploy(who, text);
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  await card(page, 'step_199').waitFor();
  expect(await steps(page).locator('li').count()).toBe(STEPS);
  await observeKeys(page);
  const focused = page.locator('[data-card="steps-100"]');
  const press = (key: string) => () => page.keyboard.press(key);
  const back = async () => {
    await page.keyboard.press('Escape');
    await focused.waitFor();
  };
  const open = async () => {
    await page.keyboard.press('Enter');
    await voice(page).waitFor();
  };
  await focused.focus();
  const alternate = (one: string, other: string) => (index: number) =>
    page.keyboard.press(index % 2 === 0 ? one : other);
  const found: Record<string, Cost> = {};
  found.select = await costOf(page, { act: alternate('ArrowDown', 'ArrowUp') });
  found.move = await costOf(page, { act: alternate('Alt+ArrowDown', 'Alt+ArrowUp') });
  found.undo = await costOf(page, { prepare: press('Alt+ArrowDown'), act: press('Control+z') });
  await focused.focus();
  await open();
  found.open = await costOf(page, { prepare: back, act: press('Enter') });
  await voice(page).waitFor();
  await back();
  found.close = await costOf(page, { prepare: open, act: press('Escape') });
  await focused.waitFor();
  await focused.focus();
  await open();
  await expression(page, 'Text').focus();
  found.field = await costOf(page, { act: press('x') });
  await documentEditor(page).focus();
  found.text = await costOf(page, { act: press('y') });
  console.info(found);
  for (const [name, cost] of Object.entries(found)) {
    const text = `${name}: ${JSON.stringify(found)}`;
    expect(cost.median, text).toBeLessThanOrEqual(PAINT_MS);
    expect(cost.processor, text).toBeLessThanOrEqual(processorLimit(name));
  }
});
