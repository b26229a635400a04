// Test project of the console, which renders components in the same real Chromium as the end-to-end tests.
import react from "@vitejs/plugin-react";
import { playwright } from "@vitest/browser-playwright";
import { defineProject } from "vitest/config";
import { documents } from "./documents.config.ts";
import { materialIcons } from "./icons.config.ts";
import { findChromium } from "../e2e/browser.ts";

export default defineProject({
  plugins: [react(), documents(), materialIcons()],
  // Bundles everything before the first test: a dependency found later would reload the page during a test.
  optimizeDeps: {
    entries: ["src/**/*.{ts,tsx}"],
    include: [
      "react",
      "react-dom/client",
      "react/jsx-runtime",
      "react/jsx-dev-runtime",
      "@mui/material/SvgIcon",
      "vitest-browser-react",
    ],
  },
  test: {
    name: "console",
    include: ["src/**/*.test.tsx"],
    setupFiles: ["./src/testing/setup.ts"],
    // Only one page at a time has the focus and runs at full speed; in parallel, tests of keyboard and hover fail.
    fileParallelism: false,
    // All files share one page, because loading the console takes longer than most files. Set-up cleans up between tests.
    isolate: false,
    // The limits only catch hangs, because busy machines are slow; no test depends on them. The first test of a file also waits
    // for its page's chunk, which the development server compiles on demand.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions: await findChromium() }),
      instances: [{ browser: "chromium", viewport: { width: 1280, height: 800 } }],
    },
  },
});
