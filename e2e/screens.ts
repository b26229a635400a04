// Records the accessibility tree of every page for three users, to prove that a change affects no screen.
// Usage: node e2e/screens.ts record FILE    records this checkout's built console
// node e2e/screens.ts compare FILE   lists differences

import { readFileSync, writeFileSync } from "node:fs";
import { chromium, type Page, request } from "@playwright/test";
import { findChromium } from "./browser.ts";
import { findSeededObjects, visitsTo } from "./every-page.ts";
import { startTestServer } from "./product.ts";
import { waitUntilAtRest } from "./rest.ts";
import { type Api, createApi, type PersonaName, personas } from "./world.ts";

const [mode, file = ""] = process.argv.slice(2);
if ((mode !== "record" && mode !== "compare") || file === "") throw new Error("usage: screens.ts record|compare FILE");

const people: PersonaName[] = ["customer", "support", "readonly"];
const sizes = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

/** The server has no fleet, so that pages don't change. */
const product = await startTestServer("screens", { DEMO: "on", DEMO_SENSORS: "0", PAGE_SIZE: "10", LOG_LEVEL: "warn" });

async function apiAs(persona: PersonaName): Promise<Api> {
  const { email, password } = personas[persona];
  return createApi(await request.newContext({ baseURL: product.baseUrl }), email, password);
}

function levelled(text: string): string {
  return text
    .replaceAll(product.baseUrl, "<url>")
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi, "<id>")
    .replaceAll(/\bRequest [\da-f]{12}-\w+/g, "Request <id>")
    .replaceAll(/\brequest=[\da-f]{12}-\w+/g, "request=<id>")
    .replaceAll(/psi_[\w-]{43}/g, "<init token>")
    .replaceAll(/\d+ h \d+ min/g, "<duration>")
    .replaceAll(/\d+ (second|minute|hour|day)s? ago|just now|a few seconds ago/gi, "<ago>")
    .replaceAll(/\b(Online|Offline)\b/g, "<presence>")
    .replaceAll(/(?<![\d:])\d{1,2}:\d\d(:\d\d)?(?![\d:])/g, "<time>");
}

async function treeOf(page: Page): Promise<string> {
  // Waits for the parts of the page that load lazily.
  await page.waitForLoadState("networkidle");
  await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
  await waitUntilAtRest(page);
  for (let before = ""; ; await page.waitForTimeout(150)) {
    const now = levelled(await page.locator("body").ariaSnapshot());
    if (now === before) return now;
    before = now;
  }
}

const trees: Record<string, string> = {};
const browser = await chromium.launch(await findChromium());
try {
  const customer = await apiAs("customer");
  const { _id: owner } = await customer.get<{ _id: string }>("/api/auth/user");
  const support = await apiAs("support");
  const [aps, zod, c1] = ["02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:03"] as const;
  const types = { [aps]: "APS", [zod]: "ZOD", [c1]: "PS.C1" };
  const { _id: place } = await customer.post<{ _id: string }>("/api/measurement", {
    owner,
    name: "Harbour Shop",
    tags: ["north"],
    location: { geo: { type: "Point", coordinates: [10, 53.5] } },
  });
  for (const [_id, type] of Object.entries(types)) await customer.post("/api/sensor", { _id, owner, type });
  await customer.put(`/api/sensor/${aps}`, { measID: place });
  await support.put(`/api/sensor/${aps}/licenses`, { monitoring: true });
  await support.put(`/api/measurement/${place}/licenses`, { occupancyMeasurement: true });
  const applications = [{ type: "ps-occupancy-app", enabled: true, settings: { maxObjects: 100 } }];
  await customer.put(`/api/measurement/${place}`, { applications });
  await customer.post("/api/init_token", { owner, name: "Roll-out" });
  const schedule = { every: "week", on: "mo", at: "07:00", zone: null };
  const recipients = ["manager@example.com"];
  await customer.post("/api/report", { owner, name: "Weekly numbers", range: "lastWeek", recipients, schedule });
  const seeded = await findSeededObjects(customer, support);
  const known = { zod, c1, counting: place, troubled: aps, logged: place, issue: "none" };
  const visits = Object.values(visitsTo({ ...seeded, ...known })).flat();
  for (const person of [null, ...people]) {
    const context = await browser.newContext({
      baseURL: product.baseUrl,
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
      reducedMotion: "reduce",
    });
    if (person !== null) {
      const { email, password } = personas[person];
      const login = { data: { email, password }, headers: { origin: product.baseUrl } };
      await context.request.post("/api/auth/login", login);
    }
    const page = await context.newPage();
    for (const { path } of visits.filter(({ as }) => (as === null) === (person === null))) {
      for (const [size, viewport] of Object.entries(sizes)) {
        await page.setViewportSize(viewport);
        await page.goto(path);
        await page.getByRole("heading", { includeHidden: true }).first().waitFor({ state: "attached" });
        trees[`${person ?? "signed-out"} ${size} ${levelled(path)}`] = await treeOf(page);
      }
    }
    await context.close();
  }
} finally {
  await browser.close();
  await product.stop();
}

if (mode === "record") {
  writeFileSync(file, JSON.stringify(trees, null, 1));
  console.log(`${Object.keys(trees).length} trees`);
} else {
  const before = JSON.parse(readFileSync(file, "utf8")) as typeof trees;
  const keys = [...new Set([...Object.keys(before), ...Object.keys(trees)])];
  const others = keys.filter((key) => before[key] !== trees[key]);
  for (const key of others) {
    const [was, is] = [before, trees].map((all) => (all[key] ?? "no such page").split("\n"));
    console.log(`\n${key}`);
    for (const line of was ?? []) if (!is?.includes(line)) console.log(`- ${line}`);
    for (const line of is ?? []) if (!was?.includes(line)) console.log(`+ ${line}`);
  }
  console.log(`\n${others.length} of ${keys.length} trees differ`);
  if (others.length > 0) process.exitCode = 1;
}
