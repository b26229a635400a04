// Configures the browser tests: two workers, each with its own Chromium and server.

import { defineConfig } from "@playwright/test";
import { findChromium } from "./browser.ts";

export default defineConfig({
  testDir: ".",
  testMatch: "**/*.e2e.ts",
  outputDir: "../test-results",
  fullyParallel: false,
  workers: 2,
  forbidOnly: process.env["CI"] !== undefined,
  retries: 0,
  // Only catches hangs, because a busy machine is several times slower. Tests about speed have their own limits.
  timeout: 600_000,
  expect: { timeout: 150_000 },
  reporter: [["list"]],
  use: {
    launchOptions: await findChromium(),
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    viewport: { width: 1280, height: 900 },
    // Recording is slow; use `npm run e2e -- --trace retain-on-failure` when needed.
    trace: "off",
    screenshot: "only-on-failure",
  },
});
