// Tests how many requests and bytes it takes to display the login page and the sensor list, and their compression (ADR 0027).

import type { Browser, CDPSession, Page } from "@playwright/test";
import { openFilters } from "./filters.ts";
import { expect, personas, type PersonaName, test } from "./world.ts";

type Loaded = { requests: number; scriptBytes: number; urls: string[]; preloads: string[] };

/** Loads a page with an empty cache until the network is idle. Sizes are bytes on the wire, including headers. */
async function loadedBy(page: Page, path: string, isThere: (page: Page) => Promise<void>): Promise<Loaded> {
  const cdp: CDPSession = await page.context().newCDPSession(page);
  const asked = new Map<string, { url: string; isScript: boolean; bytes: number; type: string | undefined }>();
  cdp.on("Network.requestWillBeSent", ({ requestId, request, type }) => {
    const isScript = type === "Script" || /\.m?js(\?|$)/.test(request.url);
    asked.set(requestId, { url: request.url, isScript, bytes: 0, type });
  });
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const one = asked.get(requestId);
    if (one !== undefined) one.bytes = encodedDataLength;
  });
  await cdp.send("Network.enable");
  await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
  await page.goto(path);
  await isThere(page);
  // Waits until the network was idle for a second, to include preloading after the page is displayed.
  for (let seen = -1; seen !== asked.size;) {
    seen = asked.size;
    await page.waitForLoadState("networkidle");
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1000)));
  }
  await cdp.detach();
  const all = [...asked.values()].filter(({ url }) => url.startsWith("http"));
  const scriptBytes = all.reduce((sum, { isScript, bytes }) => sum + (isScript ? bytes : 0), 0);
  // In the DevTools protocol, preloads have the type "Other", and requests by the page have "Fetch".
  const preloads = all.filter(({ type }) => type === "Other").map(({ url }) => url);
  return { requests: all.length, scriptBytes, urls: all.map(({ url }) => url), preloads };
}

const freshPage = async (browser: Browser, baseURL: string | undefined) =>
  (await browser.newContext(baseURL === undefined ? {} : { baseURL })).newPage();

test("AU-01 the login screen takes at most 180 kB of scripts and 30 requests", async ({ browser, baseURL }) => {
  const page = await freshPage(browser, baseURL);
  const { requests, scriptBytes, urls } = await loadedBy(page, "/login", (there) =>
    expect(there.getByRole("heading", { name: "Welcome to PS.Platform" })).toBeVisible(),
  );
  expect(scriptBytes, urls.join("\n")).toBeLessThanOrEqual(180_000);
  expect(scriptBytes).toBeGreaterThan(50_000);
  expect(requests, urls.join("\n")).toBeLessThanOrEqual(30);
  await page.context().close();
});

const sensorListOf = (page: Page) =>
  loadedBy(page, "/sensor", (there) => expect(there.getByRole("row").nth(1)).toBeVisible());

/** The persona that causes the most requests, because it sees the set-up card. */
const largest: PersonaName = "noLicense";

for (const name of Object.keys(personas) as PersonaName[]) {
  const tag = name === largest ? [] : "@prove";
  test(
    `SE-01 the sensor list takes at most 250 kB of scripts and 45 requests for ${name}`,
    { tag },
    async ({ browser, baseURL, signIn }) => {
      const page = await freshPage(browser, baseURL);
      await signIn(page, name);
      // Without live messages, which would cause refetches.
      await page.routeWebSocket(/\/live/, () => undefined);
      const { requests, scriptBytes, urls } = await sensorListOf(page);
      expect(requests, urls.join("\n")).toBeLessThanOrEqual(45);
      expect(scriptBytes, urls.join("\n")).toBeLessThanOrEqual(250_000);
      expect(scriptBytes).toBeGreaterThan(50_000);
      await page.context().close();
    },
  );
}

test(
  "SE-01 the sensor list asks for choices when a select is opened",
  { tag: "@prove" },
  async ({ browser, baseURL, signIn }) => {
    const page = await freshPage(browser, baseURL);
    await signIn(page, "customer");
    await page.routeWebSocket(/\/live/, () => undefined);
    const { urls } = await sensorListOf(page);
    const choices = /\/(account|artifact|measurement)$/;
    const isOfChoices = (url: URL) => choices.test(url.pathname);
    expect(urls.filter((url) => isOfChoices(new URL(url)))).toEqual([]);
    await openFilters(page);
    for (const name of ["Owner", "Firmware", "Location"]) {
      const asked = page.waitForRequest((request) => isOfChoices(new URL(request.url())));
      await page.getByRole("combobox", { name, exact: true }).click();
      await asked;
      await expect(page.getByRole("option").first()).toBeVisible();
      await page.keyboard.press("Escape");
    }
    await page.context().close();
  },
);

test(
  "SE-01 DB-01 LO-01 what is asked for ahead is what the page asks for, once",
  { tag: "@prove" },
  async ({ browser, baseURL, signIn, apiAs }) => {
    const page = await freshPage(browser, baseURL);
    await signIn(page, "customer");
    await page.routeWebSocket(/\/live/, () => undefined);
    const calls = async (path: string) => {
      const loaded = await loadedBy(page, path, (there) => expect(there.getByRole("banner")).toBeVisible());
      const ofApi = (urls: string[]) => urls.map((url) => url.replace(/^https?:[/][/][^/]+/, "")).filter(isOfApi);
      return { all: ofApi(loaded.urls), ahead: ofApi(loaded.preloads) };
    };
    const isOfApi = (address: string) => address.startsWith("/api/") && address !== "/api/auth/user";
    const api = await apiAs("customer");
    const { objects } = await api.get<{ objects: { _id: string }[] }>("/api/v2/measurement?limit=1&includeTotals=true");
    await page.addInitScript(
      `localStorage.setItem("psp-lists", '{"/sensor":{"sortBy":["type","_id"],"sortDesc":["true","false"]}}')`,
    );
    for (const path of ["/dashboard", "/sensor", "/location", `/location/${objects[0]?._id}/counts`]) {
      const { all, ahead } = await calls(path);
      expect(ahead.length, path).toBeGreaterThan(2);
      for (const asked of ahead)
        expect(
          all.filter((one) => one === asked),
          `${path} ${asked}`,
        ).toHaveLength(1);
      // Preloading is skipped for URLs with query parameters.
      const alone = await calls(`${path}?unknown=1`);
      expect(alone.ahead, path).toEqual([]);
      expect(alone.all, path).toEqual(expect.arrayContaining(ahead));
    }
    await page.context().close();
  },
);

test("AU-08 a page brings its configuration along, and says whether its reader is logged in", async ({
  page,
  signIn,
}) => {
  const configOf = async (path: string) => {
    const reply = await page.request.get(path);
    expect(reply.headers()["cache-control"]).toBe("no-store");
    const text = /<script id="config" type="application\/json">(.*?)<\/script>/s.exec(await reply.text())?.[1] ?? "";
    return JSON.parse(text) as { session: boolean; views?: string[]; since: string | null };
  };
  expect(await configOf("/login")).toMatchObject({ session: false });
  await signIn(page, "customer");
  const known = await configOf("/sensor?a=<b>");
  expect(known).toMatchObject({ session: true, views: ["sensor", "measurement"] });
  const answer = await page.request.get("/api/auth/user");
  const cursor = /^[\w-]{144}$/;
  expect(answer.headers()["x-live-since"]).toMatch(cursor);
  expect(known.since).toMatch(cursor);
});

test("T-26 files and lists are sent in the form that is asked for, and caches learn of it", async ({ page, apiAs }) => {
  const html = await (await page.request.get("/login")).text();
  const script = `/${/assets\/react-[^"]+\.js/.exec(html)?.[0]}`;
  const ask = (path: string, accept: string, headers = {}) =>
    page.request.get(path, { headers: { "accept-encoding": accept, ...headers } });
  for (const [accept, coding] of [
    ["br, gzip", "br"],
    ["gzip, br;q=0", "gzip"],
    ["br;q=0, gzip;q=0", undefined],
    ["identity", undefined],
  ] as const)
    for (const path of [script, "/login", "/notices.txt"]) {
      const { headers } = await ask(path, accept).then((reply) => ({ headers: reply.headers() }));
      expect(headers["content-encoding"], `${path} ${accept}`).toBe(coding);
      expect(headers["vary"], `${path} ${accept}`).toMatch(/accept-encoding/i);
    }
  expect((await ask(script, "identity;q=0")).status()).toBe(406);
  const first = await ask(script, "br");
  expect(first.headers()["cache-control"]).toContain("immutable");
  const again = await ask(script, "br", { "if-none-match": first.headers()["etag"] ?? "" });
  expect(again.status()).toBe(304);
  expect(again.headers()["vary"]).toMatch(/accept-encoding/i);
  expect((await ask(script, "gzip")).headers()["etag"]).not.toBe(first.headers()["etag"]);

  const api = await apiAs("customer");
  const { objects } = await api.get<{ objects: { _id: string }[] }>("/api/v2/sensor?limit=1&includeTotals=true");
  const [sensor] = objects;
  const { email, password } = personas.customer;
  const login = await page.request.post("/api/auth/login", { data: { email, password } });
  const { token } = (await login.json()) as { token: string };
  const bearer = { authorization: `Bearer ${token}` };
  for (const path of [
    "/api/v2/sensor?limit=50",
    `/data/v2/download/csv?filter=sens:${sensor?._id}`,
    `/data/v2/aggregate/json?filter=sens:${sensor?._id}&acc=day`,
  ]) {
    const br = await ask(path, "br", bearer);
    expect(br.status(), path).toBe(200);
    expect(br.headers()["content-encoding"], path).toBe("br");
    expect(br.headers()["vary"], path).toMatch(/accept-encoding/i);
    const plain = await ask(path, "br;q=0", bearer);
    expect(plain.headers()["content-encoding"], path).toBeUndefined();
    expect(plain.headers()["vary"], path).toMatch(/accept-encoding/i);
    // The counts keep changing, so only the beginning is compared.
    expect((await br.text()).slice(0, 40), path).toBe((await plain.text()).slice(0, 40));
  }
});
