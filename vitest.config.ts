// Every test but the browser journeys: one project per workspace, the server's with a real PostgreSQL.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "contract",
          include: ["contract/src/**/*.test.ts"],
        },
      },
      {
        test: {
          name: "server",
          include: ["server/src/**/*.test.ts"],
          globalSetup: ["server/src/testing/postgres.ts"],
        },
      },
    ],
  },
});
