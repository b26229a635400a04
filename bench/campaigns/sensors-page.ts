// Measures waiting times on the sensors page with 1,000,000 sensors in a real browser: opening, paging, sorting, filtering. Uses
// the page's own clock, from the click to painted rows. A step may take at most 100 ms in addition to the list call.
// Usage: node bench/campaigns/sensors-page.ts [--sensors 1000000] [--rounds 7]; needs a built console.
/// <reference lib="dom" />
import { parseArgs } from "node:util";
import type { Locator, Page } from "playwright-core";
import { openConsole } from "../console.ts";
import { fillDatabase } from "../dataset.ts";
import { median } from "../load.ts";
import { createProduct } from "../product.ts";

const { values } = parseArgs({
  options: { sensors: { type: "string", default: "1000000" }, rounds: { type: "string", default: "7" } },
});
const sensors = Number(values.sensors);
const ownPartMs = 100;
const debounceMs = 300;

const idOf = (n: number) =>
  `02:${n
    .toString(16)
    .toUpperCase()
    .padStart(10, "0")
    .replace(/(..)(?=.)/g, "$1:")}`;

type Times = { total: number; call: number };
const measured = new Map<string, Times[]>();

/** Measures from the input until the row `to` is in the page, the row `from` is gone, and the change is painted. */
async function step(page: Page, name: string, target: Locator, change: { type?: string; to: number; from?: number }) {
  const element = await target.elementHandle();
  const ids = { shown: idOf(change.to), gone: change.from === undefined ? null : idOf(change.from) };
  const times = await page.evaluate(
    async ({ element: on, text, shown, gone }): Promise<Times> => {
      const row = (id: string) => document.querySelector(`tr[data-row-id="${id}"]`);
      const isThere = () => row(shown) !== null && (gone === null || row(gone) === null);
      const from = performance.now();
      if (on instanceof HTMLInputElement) {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(on, text);
        on.dispatchEvent(new InputEvent("input", { bubbles: true }));
      } else if (on instanceof HTMLElement) on.click();
      await new Promise<void>((done) => {
        const look = () => {
          if (!isThere()) return;
          observer.disconnect();
          done();
        };
        const observer = new MutationObserver(look);
        observer.observe(document.body, { childList: true, subtree: true });
        look();
      });
      await new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done)));
      const total = performance.now() - from;
      const calls = performance
        .getEntriesByType("resource")
        .filter((one) => one.startTime >= from && new URL(one.name).pathname === "/api/v2/sensor");
      return { total, call: Math.max(0, ...calls.map((one) => one.duration)) };
    },
    { element, text: change.type ?? "", ...ids },
  );
  const waited = change.type === undefined ? 0 : debounceMs;
  measured.set(name, [...(measured.get(name) ?? []), { ...times, total: times.total - waited }]);
}

async function round(page: Page): Promise<void> {
  const row = (n: number) => page.locator(`tr[data-row-id="${idOf(n)}"]`);
  const button = (name: string) => page.getByRole("button", { name, exact: true }).first();
  await page.goto("/role");
  await page.getByRole("heading", { name: "Roles" }).waitFor();
  await step(page, "first rows, from another page", page.getByRole("link", { name: "Sensors" }).first(), { to: 0 });
  await step(page, "next page", button("Next page"), { to: 50, from: 0 });
  await step(page, "previous page, seen before", button("Previous page"), { to: 0, from: 50 });
  await step(page, "last page", button(`Page ${Math.ceil(sensors / 50)}`), { to: sensors - 1, from: 0 });
  await page.goto("/sensor?sortBy=_id");
  await row(0).waitFor();
  await page.waitForLoadState("networkidle");
  const header = page.getByRole("columnheader", { name: "ID" }).getByRole("button").first();
  await step(page, "sort by id, descending", header, { to: sensors - 1, from: 0 });
  await page.goto("/sensor");
  await row(0).waitFor();
  await page.waitForLoadState("networkidle");
  const search = page.getByRole("textbox", { name: "Search by ID" });
  await step(page, "filter by a part of the id", search, { type: idOf(7_777).slice(6), to: 7_777, from: 0 });
  await step(page, "filter taken back", search, { type: "", to: 0, from: 7_777 });
}

const product = await createProduct();
try {
  await product.start();
  await fillDatabase(await product.databaseUrl(), sensors);
  const { page, end } = await openConsole(product);
  await round(page);
  measured.clear();
  for (let n = 0; n < Number(values.rounds); n += 1) await round(page);
  await end();
} finally {
  await product.end();
}
const figure = (ms: number) => `${ms.toFixed(0).padStart(5)} ms`;
for (const [name, all] of measured) {
  const [total, call, own] = [
    median(all.map((one) => one.total)),
    median(all.map((one) => one.call)),
    median(all.map((one) => one.total - one.call)),
  ];
  const verdict = own <= ownPartMs ? "" : `  above ${ownPartMs}`;
  process.stdout.write(`${figure(total)}, the call ${figure(call)}, its own ${figure(own)}  ${name}${verdict}\n`);
  if (own > ownPartMs) process.exitCode = 1;
}
