// Measures layout shifts: what moves on a page without a slide.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Below this sum nothing is seen to move. */
const TOLERATED = 0.001;

type Shift = { value: number; moved: string[] };

/** Collects layout shifts from now on, also those after input. */
async function watch(page: Page) {
  await page.evaluate(() => {
    type Source = { node: Node | null; previousRect: DOMRect; currentRect: DOMRect };
    type Entry = PerformanceEntry & { value: number; sources: Source[] };
    const shifts: unknown[] = [];
    Object.assign(window, { shifts });
    const box = ({ x, y, width, height }: DOMRect) => [x, y, width, height].map(Math.round).join(' ');
    const named = (node: Node | null) =>
      node instanceof Element ? node.outerHTML.slice(0, 200) : (node?.textContent ?? 'gone');
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as Entry[])
        shifts.push({
          value,
          moved: sources.map(
            ({ node, previousRect, currentRect }) => `${box(previousRect)} to ${box(currentRect)}: ${named(node)}`,
          ),
        });
    }).observe({ type: 'layout-shift' });
  });
}

/** Fails if something moves on the page while `act` runs. A page that was just opened has to be loaded completely. */
export async function expectStill(page: Page, act: () => Promise<unknown>) {
  await watch(page);
  await act();
  // Shifts are reported with the next frames.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 100)))),
  );
  const shifts = await page.evaluate(() => (window as unknown as { shifts: Shift[] }).shifts);
  const sum = shifts.reduce((total, { value }) => total + value, 0);
  expect(sum, JSON.stringify(shifts, null, 1)).toBeLessThan(TOLERATED);
}
