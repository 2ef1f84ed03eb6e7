// What nearly every file of tests has: a server and a browser of its own.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launch } from './browser';
import { Server } from './server';

export let server: Server;
export let browser: Browser;

/** Starts both before the tests of the file that calls this, the server with these flags, and ends them after. */
export function stage(...flags: string[]) {
  beforeAll(async () => {
    [server, browser] = await Promise.all([Server.start(...flags), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
}
