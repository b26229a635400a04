// Runs Lighthouse with its phone settings on the pages where users start (docs/rules/console.md#speed).
// Usage: node bench/campaigns/lighthouse.ts [--rounds 3], after `npm run build`. Downloads Lighthouse on demand, because no start
// or test needs its 180 MB (ADR 0027).
// Run it on an idle machine; it fails below the required scores.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { findChromium } from "../../e2e/browser.ts";
import { createProduct, signIn } from "../product.ts";

const { values: flags } = parseArgs({ options: { rounds: { type: "string", default: "3" } } });
const rounds = Number(flags.rounds);
const least = { performance: 90, accessibility: 100, "best-practices": 95 } as const;
const person = { email: "customer@demo.example.com", password: "violet-harbour-lantern" };
/** Wait after the start, because the demo's fleet keeps the machine busy at first. */
const settleMs = 40_000;

type Category = keyof typeof least;
type Report = {
  categories: Record<Category, { score: number }>;
  audits: Record<string, { numericValue?: number }>;
};

const run = promisify(execFile);
const { executablePath } = await findChromium();
const folder = await mkdtemp(join(tmpdir(), "psp-lighthouse-"));
const product = await createProduct({ DEMO: "on", DEMO_SENSORS: "24", DEMO_HISTORY: "off" });
await product.start();

async function measure(path: string, cookie: string | null): Promise<Report> {
  const output = join(folder, "report.json");
  const headers = cookie === null ? [] : [`--extra-headers=${JSON.stringify({ Cookie: cookie })}`];
  const categories = `--only-categories=${Object.keys(least).join(",")}`;
  const fetched = ["exec", "--yes", "--package=lighthouse@13.5.0", "--", "lighthouse"];
  const asked = [product.url + path, "--quiet", "--output=json", `--output-path=${output}`, categories, ...headers];
  await run("npm", [...fetched, ...asked, "--chrome-flags=--headless=new --no-sandbox"], {
    env: { ...process.env, CHROME_PATH: executablePath ?? "" },
    maxBuffer: 1 << 26,
  });
  return JSON.parse(await readFile(output, "utf8")) as Report;
}

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

let failed = 0;
try {
  const { token, call } = await signIn(product.url, person);
  const { objects } = await call<{ objects: { _id: string }[] }>(
    "GET",
    "/api/v2/measurement?limit=1&includeTotals=true",
  );
  const cookie = `psp_session=${token}`;
  const pages: [name: string, path: string, cookie: string | null][] = [
    ["login", "/login", null],
    ["sensor list", "/sensor", cookie],
    ["counts", `/location/${objects[0]?._id}/counts`, cookie],
    ["dashboard", "/dashboard", cookie],
  ];
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  for (const [name, path, session] of pages) {
    const reports: Report[] = [];
    for (let n = 0; n < rounds; n += 1) reports.push(await measure(path, session));
    const scores = Object.entries(least).map(([category, limit]) => {
      const score = Math.round(100 * median(reports.map(({ categories }) => categories[category as Category].score)));
      return { text: `${category} ${score}`, isFine: score >= limit };
    });
    const isFine = scores.every((one) => one.isFine);
    if (!isFine) failed += 1;
    const ms = (audit: string) => Math.round(median(reports.map(({ audits }) => audits[audit]?.numericValue ?? 0)));
    console.log(
      `${isFine ? "ok    " : "FAILED"} ${name.padEnd(12)} ${scores.map(({ text }) => text).join(", ")}; FCP ${ms("first-contentful-paint")}, LCP ${ms("largest-contentful-paint")}, blocked ${ms("total-blocking-time")} ms`,
    );
  }
} finally {
  await product.end();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
