// The browser journeys: two workers, each with a Chromium and a server of its own.

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
  // A busy machine is slow, not wrong: these limits are there for what hangs. A journey that proves a time names its own.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: [["list"]],
  use: {
    launchOptions: await findChromium(),
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    viewport: { width: 1280, height: 900 },
    // Recording one takes longer than the journey: `npm run e2e -- --trace retain-on-failure` when one is needed.
    trace: "off",
    screenshot: "only-on-failure",
  },
});
