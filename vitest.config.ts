// Every test but the browser journeys: the server's with a real PostgreSQL, the console's in a real Chromium.

import { defineConfig } from "vitest/config";

/** A busy machine is slow, not wrong: the limits are there for what hangs, and nothing is proved by them. */
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } };

export default defineConfig({
  test: {
    projects: [
      { test: { name: "contract", include: ["contract/src/**/*.test.ts"], ...patience } },
      {
        test: {
          name: "server",
          include: ["server/src/**/*.test.ts"],
          globalSetup: ["server/src/testing/postgres.ts"],
          ...patience,
        },
      },
      {
        test: { name: "simulator", include: ["simulator/src/**/*.test.ts"], ...patience },
      },
      "console/vitest.config.ts",
    ],
  },
});
