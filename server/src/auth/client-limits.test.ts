// Tests how clients are distinguished: proxies, spellings of addresses, and limits for wrong passwords (T-10).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashPassword } from "../credential/hashing.service.ts";
import { readConfig } from "../config.ts";
import { ConfigError } from "../environment.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

const password = "violet-harbour-lantern";
const minute = 60_000;
const clock = createStillClock();
let behindOne: World;
let behindTwo: World;
let inRange: World;
let bare: World;
let people: Person[];
const folder = mkdtempSync(join(tmpdir(), "psp-config-"));

beforeAll(async () => {
  behindOne = await createWorld({ clock, env: { TRUST_PROXY: "1" } });
  behindTwo = await createWorld({ clock, env: { TRUST_PROXY: "2" } });
  inRange = await createWorld({ clock, env: { TRUST_PROXY: "127.0.0.0/8, 10.0.0.0/8" } });
  bare = await createWorld({ clock });
  people = await Promise.all(
    Array.from({ length: 60 }, (_, n) => behindOne.account(`Person ${n}`, behindOne.root, fullPermissions)),
  );
  const password_hash = await hashPassword(behindOne.ctx, password);
  await behindOne.ctx.db.updateTable("credential").set({ password_hash }).where("step", "=", 2).execute();
});
afterAll(async () => {
  for (const world of [behindOne, behindTwo, inRange, bare]) await world.stop();
  rmSync(folder, { recursive: true, force: true });
});

let serial = 0;
const unknownEmail = () => `unknown-${(serial += 1)}@example.com`;
async function login(world: World, from: string | null, email = unknownEmail(), given = "a-wrong-password-1") {
  const headers: Record<string, string> = from === null ? {} : { "x-forwarded-for": from };
  return world.call(null, "POST", "/api/auth/login", { headers, body: { email, password: given } });
}
const statuses = async (world: World, sources: (string | null)[]) =>
  (await Promise.all(sources.map((from) => login(world, from)))).map(({ status }) => status);
const times = <T>(n: number, make: (index: number) => T) => Array.from({ length: n }, (_, index) => make(index));

test("T-10 a client has fifty wrong passwords a minute for all addresses, also in parallel", async () => {
  const tried = await statuses(
    behindOne,
    times(70, () => "198.51.100.1"),
  );
  expect([tried.filter((status) => status === 401).length, tried.filter((status) => status === 429).length]).toEqual([
    50, 20,
  ]);
  const right = await login(behindOne, "198.51.100.1", people[0]?.email, password);
  expect([right.status, right.code, right.headers.get("retry-after")]).toEqual([429, 306, "60"]);
  expect((await login(behindOne, "198.51.100.2", people[0]?.email, password)).status).toBe(200);
  clock.moveTo(clock.now() + minute);
  expect((await login(behindOne, "198.51.100.1", people[0]?.email, password)).status).toBe(200);
});

test("T-10 a client that tries one password after another is refused once its budget is spent", async () => {
  for (let n = 0; n < 50; n += 1) expect((await login(behindOne, "198.51.100.8")).status).toBe(401);
  expect((await login(behindOne, "198.51.100.8")).status).toBe(429);
});

test("T-10 a client has five hundred wrong passwords an hour", async () => {
  clock.moveTo(clock.now() + 60 * minute);
  for (let round = 0; round < 10; round += 1) {
    expect(
      new Set(
        await statuses(
          behindOne,
          times(50, () => "198.51.100.3"),
        ),
      ),
    ).toEqual(new Set([401]));
    clock.moveTo(clock.now() + minute);
  }
  const refused = await login(behindOne, "198.51.100.3");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3000"]);
  clock.moveTo(clock.now() + 50 * minute);
  expect((await login(behindOne, "198.51.100.3")).status).toBe(401);
});

test("T-10 an office that signs in at once with the right passwords is admitted", async () => {
  const replies = await Promise.all(people.map(({ email }) => login(behindOne, "198.51.100.4", email, password)));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
});

test("T-10 an IPv6 client is its /64 in every spelling; an IPv4 one is the same written as IPv6", async () => {
  const spelled = [
    "2001:db8:7:7::",
    "2001:DB8:7:7:1::",
    "2001:0db8:0007:0007:ffff:ffff:ffff:ffff",
    "2001:db8:7:7::1%eth0",
  ];
  expect(
    new Set(
      await statuses(
        behindOne,
        times(50, (n) => spelled[n % 4] ?? ""),
      ),
    ),
  ).toEqual(new Set([401]));
  expect(await statuses(behindOne, [...spelled, "2001:db8:7:8::1"])).toEqual([429, 429, 429, 429, 401]);
  const four = ["203.0.113.9", "::ffff:203.0.113.9", "::ffff:cb00:7109"];
  expect(
    new Set(
      await statuses(
        behindOne,
        times(50, (n) => four[n % 3] ?? ""),
      ),
    ),
  ).toEqual(new Set([401]));
  expect(await statuses(behindOne, [...four, "203.0.113.10"])).toEqual([429, 429, 429, 401]);
});

test("T-10 a port makes no other client, and senders without an address share one", async () => {
  const one = (spelled: readonly string[]) =>
    statuses(
      behindOne,
      times(50, (n) => spelled[n % spelled.length] ?? ""),
    );
  const six = ["[2001:db8:6:6::1]:443", "[2001:db8:6:6::2]", "2001:db8:6:6::3", "[2001:db8:6:6::4%eth0]:51234"];
  expect(new Set(await one(six))).toEqual(new Set([401]));
  expect(await statuses(behindOne, [...six, "[2001:db8:6:7::1]:443"])).toEqual([429, 429, 429, 429, 401]);
  const four = ["203.0.113.77:51234", "203.0.113.77:51235", "203.0.113.77", "[::ffff:203.0.113.77]:80"];
  expect(new Set(await one(four))).toEqual(new Set([401]));
  expect(await statuses(behindOne, [...four, "203.0.113.78:51234"])).toEqual([429, 429, 429, 429, 401]);
  const none = ["unknown", "_hidden", "proxy.example.com:80", "203.0.113.256", "[203.0.113.79", "::1::", "a", "[]:1"];
  expect(new Set(await one(none))).toEqual(new Set([401]));
  expect(new Set(await statuses(behindOne, [...none, "something new"]))).toEqual(new Set([429]));
  expect(await statuses(behindOne, ["203.0.113.79"])).toEqual([401]);
});

test("T-10 X-Forwarded-For does not change who the sender is", async () => {
  // The sender is the last entry behind one proxy, and the last but one behind two; all entries before it are forged.
  const forged: [World, (n: number) => string | null][] = [
    [behindOne, (n) => `192.0.2.${n}, 198.51.100.50`],
    [behindTwo, (n) => `192.0.2.${n}, 198.51.100.50, 10.0.0.1`],
    [inRange, (n) => `192.0.2.${n}, 198.51.100.50, 10.0.0.${n}`],
    [bare, (n) => `192.0.2.${n}`],
  ];
  for (const [n, [world, from]] of forged.entries()) {
    expect(new Set(await statuses(world, times(50, from))), String(n)).toEqual(new Set([401]));
    expect(await statuses(world, [from(200)]), String(n)).toEqual([429]);
  }
  expect(await statuses(behindTwo, ["198.51.100.51, 10.0.0.1"])).toEqual([401]);
  expect(await statuses(inRange, ["198.51.100.51, 10.0.0.1"])).toEqual([401]);
});

test("T-10 DE-01 refused enrollments count an IPv6 client as its /64", async () => {
  const enrol = (from: string, n: number) =>
    behindOne.call(null, "POST", "/device/v1/enrol", {
      headers: { "x-forwarded-for": from },
      body: { token: `not-a-token-${n}`, id: "02:00:00:00:00:99", type: "APS", nonce: "n", time: 0 },
    });
  const seen: number[] = [];
  for (let n = 0; n < 12; n += 1) seen.push((await enrol(`2001:db8:9:9::${n + 1}`, n)).status);
  expect(seen.at(-1)).toBe(429);
  expect((await enrol("2001:db8:9:a::1", 99)).status).not.toBe(429);
});

test("T-10 TRUST_PROXY is a number of hops or ranges; on stops the start with a reason", () => {
  const read = (text: string) => readConfig({ TRUST_PROXY: text, DATA_DIR: folder }).trustProxy;
  expect(["", "off", "0", "1", "3", "10.0.0.0/8", "10.0.0.0/8, fd00::/8,192.0.2.7"].map(read)).toEqual([
    null,
    null,
    null,
    1,
    3,
    ["10.0.0.0/8"],
    ["10.0.0.0/8", "fd00::/8", "192.0.2.7"],
  ]);
  expect(() => read("on")).toThrow(/TRUST_PROXY: "on" would trust any sender/);
  for (const text of [
    "true",
    "yes",
    "-1",
    "1.5",
    "17",
    "0.0.0.0/0",
    "::/0",
    "10.0.0.0/33",
    "proxy.example.com",
    "10.0.0.0/8,",
  ])
    expect(() => read(text), text).toThrow(ConfigError);
});
