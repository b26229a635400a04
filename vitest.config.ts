// Every test but the browser journeys: the server's with a real PostgreSQL, the console's in a real Chromium.

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { materialIcons } from "./console/icons.config.ts";

/**
 * A busy machine is slow, not wrong: the limits are there for what hangs, and nothing is proved by them. A test that works
 * for many seconds names its own.
 */
const patience = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 100_000 } } };

/**
 * One more than processors: a server test waits for PostgreSQL as often as it works. A worker keeps its modules from file to file,
 * for loading the server takes longer than most files' tests; what they share is a database server, not a database.
 */
const sideBySide = { maxWorkers: availableParallelism() + 1, isolate: false };

export default defineConfig({
  test: {
    provide: { proveSeed: process.env["PROVE"] === "on" ? Number(process.env["PROVE_SEED"] ?? 0) : null },
    tags: [
      { name: "prove", description: "Runs in `npm run prove` alone: what it shows is shown elsewhere at less cost." },
    ],
    projects: [
      { test: { name: "contract", include: ["contract/src/**/*.test.ts"], ...patience, ...sideBySide } },
      {
        test: {
          name: "server",
          include: ["server/src/**/*.test.ts"],
          globalSetup: ["server/src/testing/postgres.ts"],
          ...patience,
          ...sideBySide,
        },
      },
      {
        test: { name: "simulator", include: ["simulator/src/**/*.test.ts"], ...patience, ...sideBySide },
      },
      // What the console has that needs no page; the rest runs in one.
      {
        plugins: [materialIcons()],
        test: { name: "console-rules", include: ["console/src/**/*.test.ts"], ...patience, ...sideBySide },
      },
      "console/vitest.config.ts",
    ],
  },
});
