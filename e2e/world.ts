// Fixtures of all tests: sign-in as a persona, API access, and failing on console errors.

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { test as base, expect, type APIRequestContext, type Browser, type Page } from "@playwright/test";
import { personas, type PersonaName } from "../server/src/db/seed/personas.ts";
import type { TestServer } from "./product.ts";
import { startWorkerServer } from "./server.ts";
import { recordMessages } from "./messages.ts";

export { expect, personas };
export type { PersonaName };

export type Api = {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  put<T>(path: string, body: unknown): Promise<T>;
  remove(path: string): Promise<void>;
  /** Only the status, for requests that should be refused. */
  status(path: string): Promise<number>;
};

type World = {
  apiAs: (persona: PersonaName) => Promise<Api>;
  /** Signs in without the login page. */
  signIn: (page: Page, persona: PersonaName) => Promise<void>;
  /**
   * Expects a console error, matched against its text and URL: `provoke(/status of 401 .*\/api\/auth\/login$/)`. The test fails
   * if the error doesn't occur.
   */
  provoke: (complaint: RegExp) => void;
  provoked: RegExp[];
  simulate: Simulate;
};

/** Runs the simulator against the server until the test ends. With `--commands`, it reads commands from standard input. */
export type Simulate = (...args: string[]) => ChildProcess & { stdin: Writable };

const simulator = join(import.meta.dirname, "../simulator/src/main.ts");

let lastSensor = Math.floor(Math.random() * 0xff_ff_ff);

/** Unique in this run. */
export function newSensorId(): string {
  lastSensor = (lastSensor + 1) & 0xff_ff_ff;
  const hex = lastSensor.toString(16).padStart(6, "0").toUpperCase();
  return `02:E2:E0:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4)}`;
}

/** Unique in this run. */
export function newName(what: string): string {
  return `${what} ${Math.random().toString(36).slice(2, 8)}`;
}

/** API access with a bearer token. Everything but `status` throws if a request is refused. */
export async function createApi(context: APIRequestContext, email: string, password: string): Promise<Api> {
  const login = await context.post("/api/auth/login", { data: { email, password } });
  const { token } = (await login.json()) as { token: string };
  const headers = { authorization: `Bearer ${token}` };
  const call = async <T>(method: string, path: string, data?: unknown): Promise<T> => {
    // The server may close an idle connection just when it is reused. Only GET is safe to retry.
    const options = { method, headers, maxRetries: method === "GET" ? 1 : 0 };
    const reply = await context.fetch(path, { ...options, ...(data === undefined ? {} : { data }) });
    if (!reply.ok()) throw new Error(`${method} ${path}: ${reply.status()} ${await reply.text()}`);
    return (await reply.json()) as T;
  };
  return {
    get: (path) => call("GET", path),
    post: (path, body) => call("POST", path, body),
    put: (path, body) => call("PUT", path, body),
    remove: async (path) => void (await call("DELETE", path)),
    status: async (path) => (await context.get(path, { headers })).status(),
  };
}

export const test = base.extend<World, { product: TestServer; settings: Record<string, string> }>({
  /** Server settings of a test file: `test.use({ settings })`. */
  settings: [{}, { scope: "worker", option: true }],
  // Starts automatically, so that hooks find the server by environment variables.
  product: [
    async ({ settings }, use, { parallelIndex }) => {
      const product = await startWorkerServer(parallelIndex, settings);
      await use(product);
      await product.stop();
    },
    { scope: "worker", auto: true, timeout: 120_000 },
  ],
  baseURL: async ({ product }, use) => use(product.baseUrl),
  // A test fails on any console error that it hasn't announced.
  page: async ({ page, provoked }, use) => {
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url}`);
    });
    await recordMessages(page);
    await use(page);
    expect(complaints.filter((text) => !provoked.some((one) => one.test(text)))).toEqual([]);
    expect(provoked.filter((one) => !complaints.some((text) => one.test(text)))).toEqual([]);
  },
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from its parameter.
  provoked: async ({}, use) => use([]),
  provoke: async ({ provoked }, use) => use((complaint) => void provoked.push(complaint)),
  simulate: async ({ product }, use) => {
    const children: ChildProcess[] = [];
    const gateway = ["--url", product.baseUrl, "--mqtt", `mqtt://127.0.0.1:${product.mqttPort}`];
    await use((...args) => {
      const child = spawn(process.execPath, [simulator, ...args, ...gateway], { stdio: ["pipe", "ignore", "ignore"] });
      children.push(child);
      return child;
    });
    for (const child of children) child.kill("SIGKILL");
  },
  apiAs: async ({ playwright, baseURL }, use) => {
    const opened: APIRequestContext[] = [];
    await use(async (persona) => {
      const { email, password } = personas[persona];
      const context = await playwright.request.newContext(baseURL === undefined ? {} : { baseURL });
      opened.push(context);
      return createApi(context, email, password);
    });
    for (const context of opened) await context.dispose();
  },
  signIn: async ({ baseURL }, use) => {
    await use(async (page, persona) => {
      const { email, password } = personas[persona];
      const origin = baseURL ?? "";
      const reply = await page.request.post("/api/auth/login", { data: { email, password }, headers: { origin } });
      expect(reply.ok()).toBe(true);
    });
  },
});

/** Leaves the page first, so that no pending request is refused. */
export async function forgetSession(page: Page): Promise<void> {
  await page.goto("about:blank");
  await page.context().clearCookies();
}

export async function typeLogin(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Login" }).click();
}

export async function anotherBrowser(browser: Browser): Promise<Page> {
  return (await browser.newContext()).newPage();
}
