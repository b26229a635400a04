// Every test but the browser journeys: the server's with a real PostgreSQL, the console's in a real Chromium.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "contract", include: ["contract/src/**/*.test.ts"] } },
      {
        test: {
          name: "server",
          include: ["server/src/**/*.test.ts"],
          globalSetup: ["server/src/testing/postgres.ts"],
        },
      },
      {
        test: { name: "simulator", include: ["simulator/src/**/*.test.ts"], testTimeout: 30_000, hookTimeout: 30_000 },
      },
      "console/vitest.config.ts",
    ],
  },
});
