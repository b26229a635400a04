// Checks that the console works under each of the server's own origins, and that other origins are refused
// (docs/rules/api.md#own-origins).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { readConfig } from "../config.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { isTrustedOrigin } from "../kit/origin.ts";

let world: World;
let customer: Person;
let port: string;
const folder = mkdtempSync(join(tmpdir(), "psp-origin-"));
beforeAll(async () => {
  world = await createWorld();
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  ({ port } = new URL(world.url));
});
afterAll(async () => {
  await world.stop();
  rmSync(folder, { recursive: true });
});

async function tryFrom(origin: string) {
  const body = { email: customer.email, password: "a wrong password, by the way" };
  const login = await world.call(null, "POST", "/api/auth/login", { headers: { origin }, body });
  const cookie = `psp_session=${customer.token}`;
  const write = await world.call(null, "POST", "/api/auth/ticket", { headers: { origin, cookie } });
  return { login, write, live: await knock(origin) };
}

function knock(origin: string): Promise<number> {
  const socket = new WebSocket(`${world.url.replace("http", "ws")}/live?token=${customer.token}`, { origin });
  return new Promise((resolve) => {
    socket.once("upgrade", ({ statusCode }) => resolve(statusCode ?? 0));
    socket.once("unexpected-response", (_, { statusCode }) => resolve(statusCode ?? 0));
    socket.on("error", () => undefined);
    socket.once("open", () => socket.close());
  });
}

test("AU-01 LI-01 without PUBLIC_URL every loopback name of the port is an own origin", async () => {
  for (const name of ["localhost", "127.0.0.1", "[::1]"]) {
    const { login, write, live } = await tryFrom(`http://${name}:${port}`);
    // 401: the origin was accepted, and the password was wrong.
    expect([login.status, write.status, live], name).toEqual([401, 200, 101]);
  }
  expect(world.server.consoleUrl).toBe(`http://localhost:${port}`);
  expect(readConfig({ PORT: "8123", DATA_DIR: folder }).publicUrl).toBe("http://localhost:8123");
});

test("AU-03 T-12 other origins are refused with the address of this console", async () => {
  const { publicUrl } = world.ctx.config;
  for (const origin of [
    `https://localhost:${port}`,
    `http://localhost:${Number(port) + 1}`,
    "http://localhost",
    `http://localhost:${port}.evil.example`,
    `http://evil.localhost:${port}`,
    `http://127.0.0.2:${port}`,
    "null",
  ]) {
    const { login, write, live } = await tryFrom(origin);
    expect([login.status, write.status, live], origin).toEqual([403, 403, 403]);
    for (const { body } of [login, write]) {
      const reason = `This console is set up for ${publicUrl}. Open it there.`;
      expect(body, origin).toMatchObject({ code: 106, details: { reason, publicUrl } });
    }
  }
});

test("T-12 pages may connect only to their own host", async () => {
  // config.js has the headers of a page, even if the console is not built.
  const policy = (await world.call(null, "GET", "/config.js")).headers.get("content-security-policy");
  expect(policy?.split(";").find((one) => one.startsWith("connect-src"))).toBe("connect-src 'self'");
});

test.each<[Record<string, string>, number, string, boolean]>([
  // Browsers omit the default port.
  [{ PORT: "80" }, 80, "http://localhost", true],
  [{ PORT: "80" }, 80, "http://127.0.0.1", true],
  [{ HOST: "192.168.1.5" }, 8080, "http://192.168.1.5:8080", true],
  [{ HOST: "192.168.1.5" }, 8080, "http://192.168.1.6:8080", false],
  [{ HOST: "fe80::5" }, 8080, "http://[fe80::5]:8080", true],
  [{ HOST: "fe80::5%eth0" }, 8080, "http://localhost:8080", true],
  [{ HOST: "0.0.0.0" }, 8080, "http://localhost:8080", true],
  [{ HOST: "0.0.0.0" }, 8080, "http://0.0.0.0:8080", false],
  [{ HOST: "::1" }, 8080, "http://localhost:8080", true],
  // PUBLIC_URL, once set, is the only own origin, whatever its host.
  [{ PUBLIC_URL: "http://localhost:8080" }, 8080, "http://localhost:8080", true],
  [{ PUBLIC_URL: "http://localhost:8080" }, 8080, "http://127.0.0.1:8080", false],
  [{ PUBLIC_URL: "https://console.example.com/" }, 8080, "https://console.example.com", true],
  [{ PUBLIC_URL: "https://console.example.com/" }, 8080, "http://localhost:8080", false],
  [{ CORS_ORIGINS: "https://export.example.com" }, 8080, "https://export.example.com", true],
  [{ CORS_ORIGINS: "https://export.example.com" }, 8080, "http://localhost:8080", true],
  [{ CORS_ORIGINS: "https://export.example.com" }, 8080, "http://export.example.com", false],
])("AU-01 with %j a request at port %i from origin %s is trusted: %s", (env, from, origin, expected) => {
  expect(isTrustedOrigin(readConfig({ ...env, DATA_DIR: folder }), origin, from)).toBe(expected);
});
