// The console's test project: components in a real Chromium, found as the journeys find it.
import react from "@vitejs/plugin-react";
import { playwright } from "@vitest/browser-playwright";
import { defineProject } from "vitest/config";
import { documents } from "./documents.config.ts";
import { materialIcons } from "./icons.config.ts";
import { findChromium } from "../e2e/browser.ts";

export default defineProject({
  plugins: [react(), documents(), materialIcons()],
  // Everything is bundled before the first test: a dependency met later would reload the page under a running test.
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
    // Only one page at a time has the focus and runs at full pace; side by side, tests of keyboard and hover fail.
    fileParallelism: false,
    // All files in one page: it takes longer to load the console than to run most files. Set-up removes what a test leaves.
    isolate: false,
    // A busy machine is slow, not wrong: the limits are there for what hangs, and no test measures by them. The first
    // test of a file waits for its page's chunk as well, which the development server compiles then.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 50_000 } },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions: await findChromium() }),
      instances: [{ browser: "chromium", viewport: { width: 1280, height: 800 } }],
    },
  },
});
