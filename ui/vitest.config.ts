import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// Tests of single modules, beside their code. They need neither a browser nor a server.
const unit = {
  name: 'unit',
  include: ['src/**/*.test.ts'],
  environment: 'node',
  // One process for all files: starting one takes longer than their tests.
  isolate: false,
  maxWorkers: 1,
  // Times depend on the zone and on the language.
  env: { TZ: 'Europe/Berlin', LC_ALL: 'en_US.UTF-8' },
};

// The other tests drive a real browser and server. They import no code of the console.
const common = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // Generous timeouts for busy machines.
  expect: { poll: { timeout: 20_000 } },
  // In continuous integration a test that passes on a retry is reported as flaky.
  retry: process.env.CI ? 2 : 0,
};
const MEASUREMENTS = ['tests/scale.test.ts', 'tests/workflow-lag.test.ts'];

// The files of a worker share a server and a browser, so they share the modules, too.
const pages = {
  ...common,
  name: 'pages',
  include: ['tests/**/*.test.ts'],
  exclude: MEASUREMENTS,
  globalSetup: 'tests/harness/data-folder.ts',
  isolate: false,
  // More than cores: tests often wait for a process to start.
  maxWorkers: 3,
};
const scale = { ...common, name: 'scale', include: MEASUREMENTS, maxWorkers: 1 };
const screenshots = { ...common, name: 'screenshots', include: ['tests/screenshots.ts'] };

export default defineConfig(({ mode }) => {
  // `--mode screenshots` takes screenshots instead.
  if (mode === 'screenshots') return { test: screenshots };
  // Measurements run alone.
  const inTurn = [unit, pages, scale].map((test, order) => ({
    plugins: test === unit ? [svelte()] : [],
    test: { ...test, sequence: { groupOrder: order } },
  }));
  return { test: { reporters: ['default'], projects: inTurn } };
});
