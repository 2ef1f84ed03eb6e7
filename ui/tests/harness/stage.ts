// The server and the browser of a test file.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launch } from './browser';
import { Server } from './server';

export let server: Server;
export let browser: Browser;

/** Starts both before the tests of the calling file, the server with these flags, and stops them afterwards. */
export function stage(...flags: string[]) {
  beforeAll(async () => {
    [server, browser] = await Promise.all([Server.start(...flags), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
}
