// The browser journeys: one Chromium, against a server of their own that the set-up starts.

import { defineConfig } from "@playwright/test";
import { findChromium } from "./browser.ts";

const { executablePath, args, env } = await findChromium();

export default defineConfig({
  testDir: ".",
  testMatch: "**/*.e2e.ts",
  globalSetup: "./server.ts",
  outputDir: "../test-results",
  fullyParallel: false,
  workers: 1,
  forbidOnly: process.env["CI"] !== undefined,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [["list"]],
  use: {
    baseURL: process.env["E2E_BASE_URL"] ?? "http://localhost:8080",
    launchOptions: { executablePath, args, env: { ...process.env, ...env } },
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    viewport: { width: 1280, height: 900 },
    trace: "retain-on-failure",
    screenshot: "only-on-failure",
  },
});
