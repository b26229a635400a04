// Measures waiting times in the console, and the processor time of browser, server and database, which is comparable even on a
// busy machine.
import { readdirSync, readFileSync } from "node:fs";
import { chromium, type Page } from "playwright-core";
import { findChromium } from "../e2e/browser.ts";
import { median } from "./load.ts";
import { admin, type Product } from "./product.ts";

/** Processor time of all child processes in ms (resolution 10 ms; 0 if unavailable). */
function processorMs(): number {
  const parents = new Map<number, { parent: number; ms: number }>();
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      parents.set(Number(name), { parent: Number(fields[1]), ms: (Number(fields[11]) + Number(fields[12])) * 10 });
    } catch {
      // It has ended meanwhile.
    }
  }
  const isOurs = (pid: number): boolean => pid === process.pid || (pid > 1 && isOurs(parents.get(pid)?.parent ?? 0));
  return [...parents].reduce((sum, [pid, { ms }]) => sum + (pid !== process.pid && isOurs(pid) ? ms : 0), 0);
}

type Measure = { name: string; times: number[]; work: number[] };

export type Stopwatch = {
  /** Returns the milliseconds from the call of `act` until `shown` resolves. */
  timed(name: string, act: () => Promise<unknown>, shown: () => Promise<unknown>): Promise<number>;
  /** Prints the median per name; returns whether all medians are within the limit. */
  report(limitMs: number): boolean;
};

export function createStopwatch(): Stopwatch {
  const measures: Measure[] = [];
  return {
    async timed(name, act, shown) {
      const before = processorMs();
      const from = performance.now();
      await act();
      await shown();
      const taken = performance.now() - from;
      const work = processorMs() - before;
      const found = measures.find((one) => one.name === name) ?? { name, times: [], work: [] };
      if (found.times.length === 0) measures.push(found);
      found.times.push(taken);
      found.work.push(work);
      return taken;
    },
    report(limitMs) {
      for (const { name, times, work } of measures) {
        const all = times.map((time) => time.toFixed(0)).join(", ");
        const [clock, processor] = [median(times).toFixed(0).padStart(6), median(work).toFixed(0).padStart(5)];
        process.stdout.write(`${clock} ms, processor ${processor} ms  ${name}  (${all})\n`);
      }
      return measures.every(({ times }) => median(times) <= limitMs);
    },
  };
}

export async function openConsole(product: Product): Promise<{ page: Page; end(): Promise<void> }> {
  const browser = await chromium.launch(await findChromium());
  const page = await browser.newPage({ baseURL: product.url, viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(20_000);
  await page.goto("/login");
  await page.getByLabel("Email").fill(admin.email);
  await page.getByRole("textbox", { name: "Password" }).fill(admin.password);
  await page.getByRole("button", { name: "Login" }).click();
  await page.getByRole("link", { name: "Accounts" }).first().waitFor();
  return { page, end: () => browser.close() };
}
