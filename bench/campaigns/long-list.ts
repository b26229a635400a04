// Checks that a list of 100,000 sensors stays fast (docs/rules/console.md#speed): filtering, sorting and paging within
// a second, frames while scrolling and paging, memory, and the response to a click while 500 sensors a second change.
// Run it on an idle machine.
// Usage: node bench/campaigns/long-list.ts [--sensors 100000]; needs a built console.
/// <reference lib="dom" />
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { openConsole } from "../console.ts";
import { fillDatabase } from "../dataset.ts";
import { createProduct, signIn } from "../product.ts";

const { values } = parseArgs({ options: { sensors: { type: "string", default: "100000" } } });
const sensors = Number(values.sensors);
const limits = { framesPerSecond: 50, heapMb: 300, clickMs: 200, stepMs: 1000 };
const storm = { perSecond: 500, seconds: 10 };

declare global {
  var __slowest: number | undefined;
  var __frames: number | undefined;
}

/** Runs in the page before its own scripts. */
function observe(): void {
  globalThis.__slowest = 0;
  globalThis.__frames = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { interactionId?: number })[])
      if ((entry.interactionId ?? 0) > 0)
        globalThis.__slowest = Math.max(globalThis.__slowest ?? 0, Math.round(entry.duration));
  }).observe({ type: "event", buffered: true, durationThreshold: 16 } as PerformanceObserverInit);
  const count = () => {
    globalThis.__frames = (globalThis.__frames ?? 0) + 1;
    requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
}

let failed = 0;
const tell = (isFine: boolean, line: string) => {
  if (!isFine) failed += 1;
  console.log(`${isFine ? "ok    " : "FAILED"} ${line}`);
};

const rows = (page: Page) => page.locator("tr[data-row-id]");
const firstId = (page: Page) => rows(page).first().getAttribute("data-row-id");

/** Measures the time from the click until other rows are displayed, including the call. */
async function changed(page: Page, name: string, act: () => Promise<unknown>): Promise<void> {
  const before = await firstId(page);
  const from = performance.now();
  await act();
  await page.waitForFunction(
    (id) => document.querySelector("tr[data-row-id]")?.getAttribute("data-row-id") !== id,
    before,
  );
  const ms = performance.now() - from;
  tell(ms <= limits.stepMs, `${name}: ${ms.toFixed(0)} ms`);
}

/** Frames per second during `act`. */
async function framesWhile(page: Page, act: () => Promise<unknown>): Promise<number> {
  const [before, from] = [await page.evaluate(() => globalThis.__frames ?? 0), performance.now()];
  await act();
  const [after, to] = [await page.evaluate(() => globalThis.__frames ?? 0), performance.now()];
  return ((after - before) * 1000) / (to - from);
}

async function heapMb(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  await cdp.detach();
  return usedSize / 1_000_000;
}

const product = await createProduct({ LOG_LEVEL: "silent" });
try {
  await product.start();
  await fillDatabase(await product.databaseUrl(), sensors);
  const { page, end } = await openConsole(product);
  await page.addInitScript(observe);
  await page.goto("/sensor");
  await rows(page).nth(49).waitFor();
  await page.waitForLoadState("networkidle");
  const button = (name: string) => page.getByRole("button", { name, exact: true }).first();
  const header = page.getByRole("columnheader", { name: "ID" }).getByRole("button").first();
  const search = page.getByRole("textbox", { name: "Search by ID" });
  await changed(page, "order", () => header.click());
  await changed(page, "order back", () => header.click());
  await changed(page, "next page", () => button("Next page").click());
  await changed(page, "filter", () => search.fill("7F"));
  await changed(page, "filter taken back", () => search.fill(""));

  await page.mouse.move(800, 500);
  const scrolled = await framesWhile(page, async () => {
    for (let n = 0; n < 60; n += 1) {
      await page.mouse.wheel(0, n < 30 ? 60 : -60);
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
  });
  tell(scrolled >= limits.framesPerSecond, `scrolling: ${scrolled.toFixed(0)} pictures a second`);
  const paged = await framesWhile(page, async () => {
    for (let n = 0; n < 10; n += 1) {
      const before = await firstId(page);
      await button("Next page").click();
      await page.waitForFunction(
        (id) => document.querySelector("tr[data-row-id]")?.getAttribute("data-row-id") !== id,
        before,
      );
    }
  });
  tell(paged >= limits.framesPerSecond, `paging through ten pages: ${paged.toFixed(0)} pictures a second`);
  const heap = await heapMb(page);
  tell(heap < limits.heapMb, `memory after that: ${heap.toFixed(0)} MB`);

  await page.goto("/sensor");
  await rows(page).nth(49).waitFor();
  await page.waitForLoadState("networkidle");
  const api = await signIn(product.url);
  const shown = await rows(page).evaluateAll((all) => all.map((row) => row.getAttribute("data-row-id") ?? ""));
  let sent = 0;
  const until = performance.now() + storm.seconds * 1000;
  const change = async () => {
    // Updates rows that are displayed, so that each update is visible.
    while (performance.now() < until) {
      const changes = { groups: [`round ${sent}`] };
      await api.call("PUT", "/api/v2/sensor/batch-update", { sensorIDs: shown, changes });
      sent += shown.length;
    }
  };
  await page.evaluate(() => (globalThis.__slowest = 0));
  const storms = Promise.all([change(), change(), change()]);
  for (let n = 1; performance.now() < until; n += 1) {
    await page
      .getByRole("row")
      .nth((n % 20) + 1)
      .getByRole("checkbox")
      .click();
    await page.waitForTimeout(250);
  }
  await storms;
  const rate = sent / storm.seconds;
  tell(rate >= storm.perSecond, `changes: ${rate.toFixed(0)} a second`);
  const slowest = await page.evaluate(() => globalThis.__slowest ?? 0);
  tell(slowest <= limits.clickMs, `slowest answer to a click among them: ${slowest} ms`);
  await end();
} finally {
  await product.end();
}
process.exitCode = failed === 0 ? 0 : 1;
