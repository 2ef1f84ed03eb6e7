// The server and the browser of a test. All files of a worker share one browser, and one server unless they need their own.
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { launch } from './browser';
import { Server } from './server';

export let server: Server;
export let browser: Browser;

/** Deliveries fail after one retry. Events may be large. */
const SHARED_FLAGS = ['--webhook-retries', '200ms', '--max-emit', '8MiB'];

let sharedBrowser: Promise<Browser> | undefined;
let sharedServer: Promise<Server> | undefined;

/** Uses the shared server. Tests create their own users and share nothing else. */
export function stage() {
  useBrowser();
  beforeAll(async () => {
    sharedServer ??= startShared();
    server = await sharedServer;
  });
  afterEach(closePages);
}

/** Starts a server for the calling file: for tests that restart it, count its users, or need flags. */
export function ownStage(...flags: string[]) {
  useOwnServer(flags);
  afterEach(closePages);
}

/** Like `ownStage`, but pages stay open for the next test. */
export function lastingStage(...flags: string[]) {
  useOwnServer(flags);
  afterAll(closePages);
}

function useBrowser() {
  beforeAll(async () => {
    sharedBrowser ??= launch();
    browser = await sharedBrowser;
  });
}

function useOwnServer(flags: string[]) {
  useBrowser();
  let own: Server | undefined;
  beforeAll(async () => {
    own = await Server.start(...flags);
    server = own;
  });
  afterAll(() => own?.stop());
}

/** Vitest ends a worker without a hook, so the server is killed with the process. The browser ends by itself. */
async function startShared(): Promise<Server> {
  const started = await Server.start(...SHARED_FLAGS);
  for (const event of ['SIGTERM', 'exit'] as const) process.once(event, () => started.kill());
  return started;
}

/** An open page uses the processor for its streams and animations. */
async function closePages() {
  await Promise.all(browser.contexts().map((context) => context.close()));
}
