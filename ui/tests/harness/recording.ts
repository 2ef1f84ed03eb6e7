// Records short-lived state of a page, so that tests do not miss it.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

type RecordingWindow = { toasts: string[] };
const following = new WeakSet<Page>();

/** Starts recording toasts and the start of the traffic stream. */
export async function startRecording(page: Page) {
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

/** Waits until the page has shown a toast, even if it has disappeared. Each toast counts once. */
export async function expectToast(page: Page, words: string) {
  const look = () =>
    page.evaluate((words) => {
      const { toasts } = window as unknown as RecordingWindow;
      const at = toasts.findIndex((text) => text.includes(words));
      return at < 0 ? toasts : toasts.splice(at, 1).length;
    }, words);
  await expect.poll(look).toBe(1);
}

/** Waits until the traffic stream is open: it does not send earlier events. */
export async function waitForTraffic(page: Page) {
  await expect.poll(() => following.has(page)).toBe(true);
}

/** The clipboard is written asynchronously, so it is polled. */
export function clipboard(page: Page) {
  return expect.poll(() => page.evaluate(() => navigator.clipboard.readText()));
}
