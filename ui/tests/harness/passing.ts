// What passes by: a test that looks a moment too late should still know of it.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

type Watched = { toasts: string[] };
const following = new WeakSet<Page>();

/** Begins to take notes of what a page says for a moment only, and of when it hears of the traffic. */
export async function takeNotes(page: Page) {
  page.on('response', (response) => {
    if (response.ok() && new URL(response.url()).pathname === '/v1/users/me/traffic') following.add(page);
  });
  await page.addInitScript(() => {
    const toasts: string[] = [];
    Object.assign(window, { toasts });
    const note = (node: Node) => {
      if (node instanceof Element && node.matches('.toast')) toasts.push(node.textContent ?? '');
    };
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) addedNodes.forEach(note);
    }).observe(document, { childList: true, subtree: true });
  });
}

/** Waits until the page has told something at its edge, be it gone by now. Each message counts once. */
export async function told(page: Page, words: string) {
  const look = () =>
    page.evaluate((words) => {
      const { toasts } = window as unknown as Watched;
      const at = toasts.findIndex((text) => text.includes(words));
      return at < 0 ? toasts : toasts.splice(at, 1).length;
    }, words);
  await expect.poll(look).toBe(1);
}

/** Waits until the page hears of the traffic: it is news, and what happens before is not told. */
export async function listening(page: Page) {
  await expect.poll(() => following.has(page)).toBe(true);
}

/** What somebody put on the clipboard arrives there in its own time. */
export function clipboard(page: Page) {
  return expect.poll(() => page.evaluate(() => navigator.clipboard.readText()));
}
