// Debian's Chromium, driven by playwright-core. One for each file of tests, a context of its own for each test.
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { takeNotes } from './passing';
import type { Person, Server } from './server';

const FLAGS = [
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const PATIENCE_MS = 20_000;

export function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: FLAGS, chromiumSandbox: process.getuid?.() !== 0 });
}

export type Look = { colorScheme?: 'light' | 'dark'; width?: number; height?: number };

/** A window that nobody has signed in from. What the page reports as an error fails the test that asks for it. */
export async function open(browser: Browser, look: Look = {}): Promise<Page> {
  const { colorScheme = 'light', width = 1280, height = 800 } = look;
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await takeNotes(page);
  return page;
}

/** A window of somebody who is signed in, at an address of the console. */
export async function signedIn(browser: Browser, who: Person, path = '/', look: Look = {}): Promise<Page> {
  const page = await open(browser, look);
  await takeSession(page.context(), who.server, who.key);
  await page.goto(`${who.server.url}${path}`);
  return page;
}

/** Signs in as the form does, without the form. */
export async function takeSession(context: BrowserContext, server: Server, key: string) {
  const answer = await context.request.post(`${server.url}/v1/session`, {
    headers: { 'x-sluice-console': '1', origin: server.url },
    data: { api_key: key },
  });
  if (!answer.ok()) throw new Error(`signing in answered ${answer.status()}: ${await answer.text()}`);
}

/** Everything that the page said went wrong: exceptions, and what the policy of the page refused. */
export function complaints(page: Page): string[] {
  const heard: string[] = [];
  page.on('pageerror', (error) => heard.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') heard.push(message.text());
  });
  return heard;
}
