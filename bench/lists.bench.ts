// Compares list calls with plain SQL over HTTP on the same rows: page, total and all ids, for three viewers and three sizes.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fillDatabase, type Viewer } from "./dataset.ts";
import { measureAlternately, type BenchRow, measureRate } from "./load.ts";
import { createProduct, freePort } from "./product.ts";

export type ListOptions = { sizes: number[]; rounds: number; ms: number };

const goals = { page: 0.6, total: 0.6, filtered: 0.5 } as const;

export async function benchLists(options: ListOptions, tell: (row: BenchRow) => void): Promise<void> {
  const firsts = new Map<string, number>();
  for (const size of options.sizes) {
    const product = await createProduct({ PARTS: "api" });
    await product.start();
    const databaseUrl = await product.databaseUrl();
    const viewers = await fillDatabase(databaseUrl, size);
    const baseline = await startBaseline(databaseUrl);
    for (const viewer of viewers) {
      for (const { call, goal, ours, bare, clients, ms = options.ms } of cases(viewer)) {
        const headers = { authorization: `Bearer ${viewer.token}` };
        const measured = await measureAlternately(
          options.rounds,
          () => measureRate({ url: product.url + ours, headers }, clients, ms),
          () => measureRate({ url: baseline.url + bare }, clients, ms),
        );
        const name = `${call} ${viewer.name} (${viewer.sensors.toLocaleString("en")} of ${size.toLocaleString("en")})`;
        tell({ call: name, ...measured, unit: "answers/s", goal });
        const first = firsts.get(`${call} ${viewer.name}`);
        if (first === undefined) firsts.set(`${call} ${viewer.name}`, measured.ours);
        else
          tell({
            call: `  growth of ${call} ${viewer.name}`,
            ours: measured.ours,
            baseline: first,
            unit: "answers/s",
            goal: null,
          });
      }
    }
    baseline.child.kill();
    await product.end();
  }
}

type Case = { call: string; goal: number; ours: string; bare: string; clients: number; ms?: number };

function cases({ path, name, sensors }: Viewer): Case[] {
  const scope = name === "root" ? "all=1" : `path=${path}`;
  const f1 = "sensorType=PS.C1";
  const f3 = `${f1}&artifactRunningID=00000000-0000-7000-b000-000000000001&connected=connected`;
  const list = "/api/v2/sensor?limit=50";
  const both = `${list}&includeTotals=true`;
  const deep = `skip=${Math.floor(sensors / 2)}`;
  return [
    { call: "page", goal: goals.page, ours: list, bare: `/page?${scope}`, clients: 8 },
    { call: "page, 3 filters", goal: goals.page, ours: `${list}&${f3}`, bare: `/page?${scope}&filter=f3`, clients: 8 },
    { call: "page + total", goal: goals.total, ours: both, bare: `/both?${scope}`, clients: 8 },
    {
      call: "page + total, 1 filter",
      goal: goals.filtered,
      ours: `${both}&${f1}`,
      bare: `/both?${scope}&filter=f1`,
      clients: 8,
    },
    {
      call: "page + total, 3 filters",
      goal: goals.filtered,
      ours: `${both}&${f3}`,
      bare: `/both?${scope}&filter=f3`,
      clients: 8,
    },
    { call: "page half way down", goal: 0.7, ours: `${list}&${deep}`, bare: `/page?${scope}&${deep}`, clients: 1 },
    { call: "stats", goal: 0.5, ours: "/api/v2/sensor/stats", bare: `/stats?${scope}`, clients: 1 },
    // Long enough to see statistics computed, and reused, several times.
    { call: "stats / one row by key", goal: 0.1, ours: "/api/v2/sensor/stats", bare: "/key", clients: 8, ms: 5_000 },
    { call: "all ids", goal: 0.7, ours: "/api/v2/sensor?onlyIDs=true", bare: `/ids?${scope}`, clients: 1 },
  ];
}

export async function startBaseline(databaseUrl: string): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "baselines/bare-http.ts"), databaseUrl, String(port)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await once(child.stdout, "data");
  return { url: `http://127.0.0.1:${port}`, child };
}
