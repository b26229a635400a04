// Checks which origins may send requests and read the responses, as browsers enforce it (ADR 0012).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { createWorld, type World } from "../testing/world.ts";

const sibling = "https://export.example.com";
let world: World;
beforeAll(
  async () =>
    void (world = await createWorld({
      env: { CORS_ORIGINS: "https://two.example.com, HTTPS://Export.example.com:443/" },
    })),
);
afterAll(() => world.stop());

const preflight = (path: string, origin: string) =>
  world.call(null, "OPTIONS", path, {
    headers: {
      origin,
      "access-control-request-method": "PUT",
      "access-control-request-headers": "authorization,if-match",
    },
  });

test("T-26 pages of a configured origin pass the preflight and can read every response", async () => {
  const asked = await preflight("/api/account/some", sibling);
  expect(asked.status).toBe(204);
  expect(asked.headers.get("access-control-allow-origin")).toBe(sibling);
  expect(asked.headers.get("access-control-allow-credentials")).toBe("true");
  expect(asked.headers.get("access-control-allow-methods")).toMatch(/\bPUT\b.*\bDELETE\b/);
  for (const header of ["authorization", "content-type", "if-match", "idempotency-key"])
    expect(asked.headers.get("access-control-allow-headers")).toContain(header);

  for (const who of [world.root, null]) {
    const reply = await world.call(who, "GET", "/api/auth/user", { headers: { origin: sibling } });
    expect(reply.status).toBe(who ? 200 : 401);
    expect(reply.headers.get("access-control-allow-origin")).toBe(sibling);
    expect(reply.headers.get("access-control-expose-headers")).toContain("retry-after");
    expect(reply.headers.get("vary")).toMatch(/\borigin\b/i);
  }
});

test("T-26 other origins get no CORS header, neither on preflight requests nor on responses", async () => {
  for (const origin of ["https://evil.example.com", "null", `${sibling}.evil.com`, "http://export.example.com"]) {
    const asked = await preflight("/api/account", origin);
    expect([asked.status, asked.code], origin).toEqual([404, 105]);
    const read = await world.call(world.root, "GET", "/api/auth/user", { headers: { origin } });
    for (const { headers } of [asked, read]) {
      expect(headers.get("access-control-allow-origin"), origin).toBeNull();
      expect(headers.get("access-control-allow-credentials"), origin).toBeNull();
      // Without `Vary`, a cache would serve the response to other origins.
      expect(headers.get("vary"), origin).toMatch(/\borigin\b/i);
    }
  }
});

test("T-26 an origin that no browser could send stops the start with the name of the setting", () => {
  for (const name of ["CORS_ORIGINS", "ALLOWED_ORIGINS"]) {
    for (const bad of ["*", "null", "export.example.com", `${sibling}/app`, `${sibling}?a`, "ftp://export.example.com"])
      expect(() => readConfig({ [name]: bad }), `${name}=${bad}`).toThrow(new RegExp(`^${name}`));
  }
  expect(() => readConfig({ PUBLIC_URL: "console.example.com" })).toThrow(/^PUBLIC_URL/);
  const dataDir = mkdtempSync(join(tmpdir(), "psp-config-"));
  const config = readConfig({ CORS_ORIGINS: "", PUBLIC_URL: "http://localhost:8080/", DATA_DIR: dataDir });
  expect([...config.corsOrigins]).toEqual([]);
  rmSync(dataDir, { recursive: true });
});

test("T-26 the console page and its configuration have no CORS headers", async () => {
  for (const path of ["/config.js", "/health", "/dev/clock"]) {
    const reply = await world.call(null, "GET", path, { headers: { origin: sibling } });
    expect(reply.headers.get("access-control-allow-origin"), path).toBeNull();
  }
});

test("SH-09 roots on other origins appear in the configuration and in the content security policy", async () => {
  const own = "https://console.example.com";
  const env = { PUBLIC_URL: own, API_ROOT: "https://api.example.com/v2/", DATA_ROOT: "https://data.example.com" };
  const apart = await createWorld({ env });
  try {
    const page = await apart.call(null, "GET", "/config.js");
    const policy = page.headers.get("content-security-policy") ?? "";
    const hosts = [
      "https://api.example.com",
      "wss://api.example.com",
      "https://data.example.com",
      "wss://data.example.com",
    ];
    expect(policy).toContain(`connect-src 'self' ${hosts.join(" ")};`);
    const text = await (await fetch(`${apart.url}/config.js`)).text();
    expect(text).toContain('"apiRoot":"https://api.example.com/v2","dataRoot":"https://data.example.com"');
    // The session cookie belongs to the API's host, so this host can't know whether the user is logged in.
    expect(text).not.toContain('"session"');
    for (const path of ["/api/auth/user", "/health"]) {
      const reply = await fetch(apart.url + path, { headers: { origin: own } });
      expect(reply.headers.get("access-control-allow-origin"), path).toBe(own);
      expect(reply.headers.get("access-control-expose-headers"), path).toMatch(/x-version, x-live-since/);
    }
  } finally {
    await apart.stop();
  }
});

test("SH-09 roots are origins, paths or both, and anything else stops the start", () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), "psp-roots-"));
  const PUBLIC_URL = "https://console.example.com";
  const config = readConfig({ API_ROOT: "/platform/", PUBLIC_URL, DATA_DIR });
  expect(config.roots).toEqual({ api: "/platform", data: "/platform" });
  expect([...config.corsOrigins]).toEqual([]);
  expect(readConfig({ DATA_DIR }).roots).toEqual({ api: null, data: null });
  for (const name of ["API_ROOT", "DATA_ROOT"])
    for (const bad of [
      "api.example.com",
      "ftp://a.example",
      "https://a.example/?x",
      "https://u@a.example",
      "/a b",
      "//a.example",
    ])
      expect(() => readConfig({ [name]: bad, DATA_DIR }), bad).toThrow(new RegExp(`^${name}`));
  rmSync(DATA_DIR, { recursive: true });
});
