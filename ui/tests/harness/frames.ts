// Measures the responsiveness of a page: the longest time between two frames.
import type { Page } from 'playwright-core';

/** Starts measuring. The returned function returns the longest gap since its last call, in milliseconds. */
export async function measureFrames(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const frames = { longest: 0, last: performance.now() };
    (window as unknown as { frames: typeof frames }).frames = frames;
    const step = (now: number) => {
      frames.longest = Math.max(frames.longest, now - frames.last);
      frames.last = now;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  return () =>
    page.evaluate(() => {
      const { frames } = window as unknown as { frames: { longest: number } };
      const { longest } = frames;
      frames.longest = 0;
      return longest;
    });
}
