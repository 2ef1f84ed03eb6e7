import { defineConfig } from 'vitest/config';

// The tests drive a browser and a server as people do; nothing of the console is loaded into them.
export default defineConfig(({ mode }) => ({
  test: {
    // `--mode screenshots` takes pictures instead.
    include: mode === 'screenshots' ? ['tests/screenshots.ts'] : ['tests/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 90_000,
    // A busy machine takes its time; what is waited for comes, or the test has failed.
    expect: { poll: { timeout: 20_000 } },
    // Each file has a server and a browser of its own.
    maxWorkers: 2,
    reporters: ['default'],
  },
}));
