// Chromium of Debian, driven by playwright-core: one browser per worker, one context per window.
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { startRecording } from './recording';
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

/** A window without a session. */
export async function open(browser: Browser, look: Look = {}): Promise<Page> {
  const { colorScheme = 'light', width = 1280, height = 800 } = look;
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await startRecording(page);
  return page;
}

/** A window with a session, at a path of the console. */
export async function signedIn(browser: Browser, who: Person, path = '/', look: Look = {}): Promise<Page> {
  const page = await open(browser, look);
  await takeSession(page.context(), who.server, who.key);
  await page.goto(`${who.server.url}${path}`);
  return page;
}

/** Signs in without the form. */
export async function takeSession(context: BrowserContext, server: Server, key: string) {
  const answer = await context.request.post(`${server.url}/v1/session`, {
    headers: { 'x-sluice-console': '1', origin: server.url },
    data: { api_key: key },
  });
  if (!answer.ok()) throw new Error(`signing in answered ${answer.status()}: ${await answer.text()}`);
}

/** Collects errors of the page: exceptions and violations of the content security policy. */
export function pageErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return errors;
}

/** The rows of deliveries or attempts with a status. The id of an event can contain the same digits. */
export const rowsWithStatus = (page: Page, status: number) =>
  page.getByRole('row').filter({ has: page.getByText(String(status), { exact: true }) });
