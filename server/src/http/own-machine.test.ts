// Tests the endpoints that are reserved for programs on this machine, such as the test clock.
import { afterAll, beforeAll, expect, test } from "vitest";
import { rawRequest } from "../testing/requests/raw-http.ts";
import { createWorld, type World } from "../testing/world.ts";

const metricsToken = "metrics-token-of-the-test";
let world: World;
let port: string;
beforeAll(async () => {
  world = await createWorld({
    env: { DEMO: "on", DEMO_SENSORS: "0", TEST_CLOCK: "on", METRICS_TOKEN: metricsToken },
  });
  ({ port } = new URL(world.url));
});
afterAll(() => world.stop());

const endpoints = ["/dev/mail", "/dev/clock"];
const ask = async (path: string, headers: Record<string, string>, method = "GET", body?: string) =>
  (await rawRequest(world.url, method, path, { headers, ...(body === undefined ? {} : { body }) })).status;

test("T-09 T-29 the demo's mails and the test clock are available to this machine by each loopback name", async () => {
  for (const path of endpoints)
    for (const name of ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])
      expect(await ask(path, { host: `${name}:${port}` }), `${path} at ${name}`).toBe(200);
});

test("T-09 T-29 they are 404 under foreign host names, through proxies and for other machines", async () => {
  const host = `localhost:${port}`;
  const strangers: Record<string, string>[] = [
    { host: `rebound.example.com:${port}` },
    { host: `localhost.example.com:${port}` },
    { host: "console.example.com" },
    // A loopback address in the header does not help, because any client can forge it.
    ...["127.0.0.1", "203.0.113.9", "127.0.0.1, 203.0.113.9"].map((chain) => ({ host, "x-forwarded-for": chain })),
    { host, forwarded: "for=203.0.113.9" },
    { host, "x-real-ip": "203.0.113.9" },
    { host, "x-forwarded-proto": "https" },
    { host, via: "1.1 gate" },
  ];
  const json = { "content-type": "application/json" };
  const before = world.ctx.clock.now();
  const later = JSON.stringify({ now: before + 365 * 86_400_000 });
  for (const headers of strangers) {
    for (const path of endpoints) expect(await ask(path, headers), `${path} ${JSON.stringify(headers)}`).toBe(404);
    expect(await ask("/dev/clock", { ...headers, ...json }, "PUT", later)).toBe(404);
  }
  expect(world.ctx.clock.now()).toBeLessThan(before + 86_400_000);
  for (const remoteAddress of ["203.0.113.9", "192.168.1.20", "2001:db8::9", "::ffff:10.0.0.9"])
    for (const url of endpoints) {
      const reply = await world.server.app.inject({ url, remoteAddress, headers: { host } });
      expect(reply.statusCode, `${url} from ${remoteAddress}`).toBe(404);
    }
  for (const remoteAddress of ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
    expect((await world.server.app.inject({ url: "/dev/mail", remoteAddress, headers: { host } })).statusCode).toBe(
      200,
    );
});

test("T-29 metrics are available to this machine, and to others with the token", async () => {
  const host = `localhost:${port}`;
  expect(await ask("/metrics", { host })).toBe(200);
  const behindProxy = { host, "x-forwarded-for": "203.0.113.9" };
  expect(await ask("/metrics", behindProxy)).toBe(401);
  for (const authorization of ["Bearer ", "Bearer wrong", metricsToken, `Basic ${metricsToken}`])
    expect(await ask("/metrics", { ...behindProxy, authorization }), authorization).toBe(401);
  const authorization = `Bearer ${metricsToken}`;
  expect(await ask("/metrics", { ...behindProxy, authorization })).toBe(200);
  const far = { url: "/metrics", remoteAddress: "203.0.113.9" };
  expect((await world.server.app.inject({ ...far, headers: { host } })).statusCode).toBe(401);
  const reply = await world.server.app.inject({ ...far, headers: { host, authorization } });
  expect([reply.statusCode, reply.body.includes("psp_")]).toEqual([200, true]);
});
