import { defineConfig } from 'vitest/config';

// The tests drive a browser and a server as people do; nothing of the console is loaded into them.
export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 90_000,
    // Each file has a server and a browser of its own.
    maxWorkers: 2,
    reporters: ['default'],
  },
});
