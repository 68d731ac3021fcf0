// Two projects: unit tests in Node, and tests of the whole program in a real browser (see tests/browser).
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['tests/unit/**/*.test.ts'] } },
      {
        test: {
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          // Only what hangs fails by the clock, however busy the machine is.
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: { poll: { timeout: 120_000 } },
          fileParallelism: false,
        },
      },
    ],
  },
});
