// Input to paint in a long document.
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { signedIn } from './harness/browser';
import { card, documentEditor, expression, publishShout, steps, voice } from './harness/outline';
import { browser, server, stage } from './harness/stage';
import { deploy } from './harness/workflows';

stage();

beforeAll(() => publishShout(server));

const STEPS = 200;
const PAINT_MS = 50;
/** A busy machine may be slow once. A slow page is slow each time. */
const TRIES = 40;

/** The times from a key to the next frame that shows its effect, by Event Timing. */
async function paintTimes(page: Page, act: (index: number) => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const times: number[] = [];
    Object.assign(window, { times });
    const observer = new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') times.push(duration);
    });
    observer.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  });
  for (let index = 0; index < TRIES; index += 1) await act(index);
  await page.waitForTimeout(300);
  const slow = await page.evaluate(() => (window as unknown as { times: number[] }).times);
  // Faster ones are not reported.
  return slow.length < TRIES ? [...slow, 16] : slow;
}

test('a document of 200 steps is edited without lag', async () => {
  const who = await server.user('outline-long');
  const one = (index: number) =>
    `  - name: step_${index}\n    action: acme-shout # number ${index}\n    props:\n      text: "{{ steps.step_0.$return_value }}"\n      voice: deep\n`;
  const text = `name: Long\nsteps:\n${Array.from({ length: STEPS }, (_, index) => one(index)).join('')}`;
  const { id } = await deploy(who, text);
  const page = await signedIn(browser, who, `/workflows/${id}/document`);
  await card(page, 'step_199').waitFor();
  expect(await steps(page).locator('li').count()).toBe(STEPS);
  await page.locator('[data-card="steps-100"]').focus();
  const moves = await paintTimes(page, (index) =>
    page.keyboard.press(index % 2 === 0 ? 'Alt+ArrowDown' : 'Alt+ArrowUp'),
  );
  await page.keyboard.press('Enter');
  await voice(page).waitFor();
  await expression(page, 'Text').focus();
  const fields = await paintTimes(page, () => page.keyboard.press('x'));
  await documentEditor(page).focus();
  const typing = await paintTimes(page, () => page.keyboard.press('y'));
  const found = { moves: Math.min(...moves), fields: Math.min(...fields), typing: Math.min(...typing) };
  expect(Math.max(...Object.values(found)), JSON.stringify(found)).toBeLessThanOrEqual(PAINT_MS);
});
