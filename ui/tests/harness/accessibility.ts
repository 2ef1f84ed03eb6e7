import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const script = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The serious and critical violations that axe-core finds on the page. */
export async function seriousViolations(page: Page): Promise<string[]> {
  // The debugger is not subject to the content security policy.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(script);
  // Reporting passed rules, too, would take twice as long.
  const results: AxeResults = await page.evaluate("axe.run({ resultTypes: ['violations'] })");
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html}`));
}

/** The violations in light and in dark colours. */
export async function violationsInBothSchemes(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await animationsEnded(page);
    found.push(...(await seriousViolations(page)).map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}

/** Waits for the end of animations: colours change gradually. Endless ones do not count. */
export async function animationsEnded(page: Page) {
  await expect.poll(() => page.evaluate(endingAnimations)).toBe(0);
}

function endingAnimations(): number {
  const ends = (animation: Animation) => animation.effect?.getComputedTiming().endTime;
  return document.getAnimations().filter((animation) => ends(animation) !== Number.POSITIVE_INFINITY).length;
}
