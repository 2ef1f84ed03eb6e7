import { defineConfig } from 'vitest/config';

// The tests drive a browser and a server as people do; nothing of the console is loaded into them.
const common = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // A busy machine takes its time; what is waited for comes, or the test has failed.
  expect: { poll: { timeout: 20_000 } },
};
const SCALE = 'tests/scale.test.ts';

// Each file has a server and a browser of its own.
const pages = { ...common, name: 'pages', include: ['tests/**/*.test.ts'], exclude: [SCALE], maxWorkers: 2 };
const scale = { ...common, name: 'scale', include: [SCALE], maxWorkers: 1 };
const screenshots = { ...common, name: 'screenshots', include: ['tests/screenshots.ts'] };

export default defineConfig(({ mode }) => {
  // `--mode screenshots` takes pictures instead.
  if (mode === 'screenshots') return { test: screenshots };
  // What is measured has the machine to itself.
  const inTurn = [pages, scale].map((test, order) => ({ test: { ...test, sequence: { groupOrder: order } } }));
  return { test: { reporters: ['default'], projects: inTurn } };
});
