// Measures the speed of the console: `node bench/campaigns/console-speed.ts [--cpu 4] [--rounds 3]`, after `npm run build`.
// First page loads on a phone (LCP, CLS, blocking time, bytes, requests), then twelve tasks on a throttled CPU with their INP.
// Run it on an idle machine; it fails above the limits of docs/rules/console.md#speed.
import { parseArgs } from "node:util";
import { type BrowserContext, type CDPSession, chromium, type Page } from "playwright-core";
import { findChromium } from "../../e2e/browser.ts";
import { createProduct } from "../product.ts";

const { values: flags } = parseArgs({
  options: { cpu: { type: "string", default: "4" }, rounds: { type: "string", default: "3" } },
});
const cpu = Number(flags.cpu);
const rounds = Number(flags.rounds);
const limits = { lcpMs: 2500, cls: 0.1, inpMs: 200 };
/** Lighthouse's "slow 4G": latency in ms, throughput in bytes per second. */
const network = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 96_000 };
const demo = { DEMO: "on", DEMO_SENSORS: "24", DEMO_HISTORY: "off" };
const person = { email: "customer@demo.example.com", password: "violet-harbour-lantern" };

type Seen = { lcp: number; cls: number; blocking: number; inp: number };
declare global {
  var __seen: Seen | undefined;
}

/** Runs in the page before its own scripts. */
function observe(): void {
  const seen: Seen = { lcp: 0, cls: 0, blocking: 0, inp: 0 };
  globalThis.__seen = seen;
  const on = (type: string, see: (entry: PerformanceEntry & Record<string, unknown>) => void, more = {}) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) see(entry as PerformanceEntry & Record<string, unknown>);
    }).observe({ type, buffered: true, ...more });
  on("largest-contentful-paint", ({ startTime }) => (seen.lcp = startTime));
  on("layout-shift", ({ value, hadRecentInput }) => {
    if (hadRecentInput !== true) seen.cls += Number(value);
  });
  // cspell:disable-next-line
  on("longtask", ({ duration }) => (seen.blocking += Math.max(0, duration - 50)));
  on(
    "event",
    ({ duration, interactionId }) => {
      if (Number(interactionId) > 0) seen.inp = Math.max(seen.inp, duration);
    },
    { durationThreshold: 16 },
  );
}

const seenOn = (page: Page): Promise<Seen> =>
  page.evaluate(
    () =>
      // Performance observers deliver their entries with a delay.
      new Promise<Seen>((resolve) => {
        setTimeout(() => resolve(globalThis.__seen ?? { lcp: 0, cls: 0, blocking: 0, inp: 0 }), 300);
      }),
  );

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

const product = await createProduct({ ...demo, LOG_LEVEL: "silent" });
await product.start();
const browser = await chromium.launch(await findChromium());
let failed = 0;
const tell = (isFine: boolean, line: string) => {
  if (!isFine) failed += 1;
  console.log(`${isFine ? "ok    " : "FAILED"} ${line}`);
};

async function signedIn(options: Parameters<typeof browser.newContext>[0]): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: product.url, ...options });
  const reply = await context.request.post("/api/auth/login", { data: person, headers: { origin: product.url } });
  if (!reply.ok()) throw new Error(`No login: ${reply.status()}`);
  return context;
}

async function slowed(page: Page): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: cpu });
  return cdp;
}

const phone = { viewport: { width: 412, height: 823 }, deviceScaleFactor: 1.75, isMobile: true, hasTouch: true };

async function load(path: string, isSignedIn: boolean) {
  const context = isSignedIn ? await signedIn(phone) : await browser.newContext({ baseURL: product.url, ...phone });
  const page = await context.newPage();
  await page.addInitScript(observe);
  const cdp = await slowed(page);
  let [requests, bytes] = [0, 0];
  cdp.on("Network.requestWillBeSent", () => (requests += 1));
  cdp.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await cdp.send("Network.enable");
  await cdp.send("Network.emulateNetworkConditions", network);
  await page.goto(path, { timeout: 120_000 });
  await page.waitForLoadState("networkidle", { timeout: 120_000 });
  const seen = await seenOn(page);
  await context.close();
  return { ...seen, requests, bytes };
}

async function places(): Promise<{ location: string; sensor: string }> {
  const context = await signedIn({});
  const first = async (path: string) =>
    ((await (await context.request.get(path)).json()) as { objects: { _id: string }[] }).objects[0]?._id ?? "";
  const found = {
    location: await first("/api/v2/measurement?limit=1&includeTotals=true"),
    sensor: await first("/api/v2/sensor?limit=1&includeTotals=true&sensorType=APS"),
  };
  await context.close();
  return found;
}

const { location, sensor } = await places();
const pages: [name: string, path: string, isSignedIn: boolean][] = [
  ["login", "/login", false],
  ["sensor list", "/sensor", true],
  ["counts", `/location/${location}/counts`, true],
  ["dashboard", "/dashboard", true],
];
console.log(`Pages, processor ${cpu}x slower, slow 4G, medians of ${rounds}`);
for (const [name, path, isSignedIn] of pages) {
  const runs: Awaited<ReturnType<typeof load>>[] = [];
  for (let n = 0; n < rounds; n += 1) runs.push(await load(path, isSignedIn));
  const of = (key: keyof (typeof runs)[number]) => median(runs.map((run) => run[key]));
  tell(
    of("lcp") <= limits.lcpMs && of("cls") <= limits.cls,
    `${name.padEnd(14)} LCP ${of("lcp").toFixed(0)} ms, CLS ${of("cls").toFixed(3)}, blocked ${of("blocking").toFixed(0)} ms, ${of("requests")} requests, ${(of("bytes") / 1000).toFixed(0)} kB`,
  );
}

type Task = { name: string; path: string; act: (page: Page) => Promise<void>; signedOut?: true };
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first();
const tick = (page: Page, row: number) => page.getByRole("row").nth(row).getByRole("checkbox").click();

const tasks: Task[] = [
  {
    name: "log in",
    path: "/login",
    signedOut: true,
    async act(page) {
      await page.getByLabel("Email").pressSequentially(person.email);
      await page.getByRole("textbox", { name: "Password" }).pressSequentially(person.password);
      await button(page, "Login").click();
      await page.getByRole("banner").waitFor();
    },
  },
  {
    name: "register",
    // `mode=type` selects manual entry. Without it, the page would first wait for the camera.
    path: "/sensor/register?fromPSControl=true&mode=type",
    act: (page) => page.getByRole("textbox", { name: "Registration code" }).pressSequentially("ABCD1234"),
  },
  {
    name: "create role",
    path: "/role/new",
    act: (page) => page.getByRole("dialog").getByRole("textbox").first().pressSequentially("Night shift"),
  },
  {
    name: "edit sensor",
    path: `/sensor/aps/${sensor}/general`,
    async act(page) {
      await page.getByRole("combobox", { name: "Location" }).click();
      await page.getByRole("option").first().waitFor();
      await page.keyboard.press("Escape");
      await page.getByLabel("Groups").pressSequentially("ground");
    },
  },
  {
    name: "batch edit",
    path: "/sensor",
    async act(page) {
      await tick(page, 1);
      await tick(page, 2);
      await button(page, /^Set owner/i).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "firmware dialog",
    path: "/firmware",
    async act(page) {
      await button(page, /firmware/i).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "filter",
    path: "/sensor",
    act: (page) => page.locator("main input").first().pressSequentially("00:1E"),
  },
  {
    name: "sort",
    path: "/sensor",
    async act(page) {
      await page.getByRole("columnheader", { name: "Type" }).getByRole("button").click();
      await page.getByRole("columnheader", { name: "ID" }).getByRole("button").click();
    },
  },
  {
    name: "counts",
    path: `/location/${location}/counts`,
    act: (page) => page.locator("main").getByRole("button").nth(1).click(),
  },
  {
    name: "go between areas",
    path: "/sensor",
    async act(page) {
      await page.getByRole("link", { name: "Locations" }).first().click();
      await page.getByRole("heading", { level: 1, name: "Locations" }).waitFor();
      await page.getByRole("link", { name: "Sensors" }).first().click();
      await page.getByRole("heading", { level: 1, name: "Sensors" }).waitFor();
    },
  },
  {
    name: "delete dialog",
    path: "/location",
    async act(page) {
      const row = page.getByRole("row").nth(1);
      await row.hover();
      await row.getByRole("button", { name: /^Delete / }).click();
      await page.getByRole("alertdialog").waitFor();
    },
  },
  {
    name: "palette",
    path: "/sensor",
    async act(page) {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").pressSequentially("harbour");
    },
  },
];

console.log(`Tasks, processor ${cpu}x slower, longest reaction, medians of ${rounds}`);
for (const { name, path, act, signedOut } of tasks) {
  const times: number[] = [];
  let problem = "";
  for (let n = 0; n < rounds && problem === ""; n += 1) {
    const context = signedOut ? await browser.newContext({ baseURL: product.url }) : await signedIn({});
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.addInitScript(observe);
    try {
      await page.goto(path);
      await page.waitForLoadState("networkidle");
      await slowed(page);
      await act(page);
      times.push((await seenOn(page)).inp);
    } catch (error) {
      problem = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    }
    await context.close();
  }
  const line = problem === "" ? `${median(times).toFixed(0)} ms (${times.join(", ")})` : problem;
  tell(problem === "" && median(times) <= limits.inpMs, `${name.padEnd(18)} ${line}`);
}
await browser.close();
await product.end();
process.exitCode = failed === 0 ? 0 : 1;
