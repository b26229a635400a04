// Tests claiming over HTTP: responses, refusals, rights, and the limit for wrong codes (T-13).
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { startServer } from "../process/server.ts";
import { claim, newSensorId, enrollLabelled, lookUpClaim, makeClaimable } from "../testing/rights/claiming.ts";
import { createStillClock, captureSnapshot } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";

const clock = createStillClock();
let world: World;
let maker: Person;
let customer: Person;
beforeAll(async () => {
  world = await createWorld({ clock });
  maker = await world.account("Maker", world.root, fullPermissions);
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
});
afterAll(() => world.stop());

let people = 0;
const newcomer = () => world.account(`Newcomer ${(people += 1)}`, world.root, fullPermissions);
const hourMs = 3_600_000;
const wrong = (n: number) => `WRNG${String(n).padStart(4, "2")}`;

test("CL-02 a code returns id and type regardless of case, and a claim uses it up", async () => {
  const label = await enrollLabelled(world, maker);
  expect(label.claimingCode).toMatch(/^[2-9A-HJ-NP-Z]{8}$/);
  for (const code of [label.claimingCode, label.claimingCode.toLowerCase(), ` ${label.claimingCode} `]) {
    const found = await lookUpClaim(world, customer, code);
    expect([found.status, found.body]).toEqual([200, { id: label.id, type: "APS" }]);
  }
  const reply = await claim(world, customer, [{ ...label, id: label.id.toLowerCase().replaceAll(":", "-") }]);
  expect([reply.status, reply.body]).toEqual([200, [{ id: label.id, status: "CLAIMED" }]]);
  const mine = await world.call(customer, "GET", `/api/sensor/${label.id}`);
  expect(mine.at("owner._id")).toBe(customer.id);
  expect(mine.at("claimable")).toBe(false);
  expect(mine.at("claimingCode")).toMatch(/^[2-9A-HJ-NP-Z]{8}$/);
  expect(mine.at("claimingCode")).not.toBe(label.claimingCode);
  expect((await lookUpClaim(world, customer, label.claimingCode)).status).toBe(404);
});

test("CL-02 several at once: results in order; 404 only if none was claimed", async () => {
  const [a, b] = [await enrollLabelled(world, maker), await enrollLabelled(world, maker)];
  const shut = await enrollLabelled(world, maker, false);
  const who = await newcomer();
  const reply = await claim(world, who, [shut, a, { ...b, claimingCode: "SHORT" }, b, a]);
  expect([reply.status, reply.body]).toEqual([
    200,
    [
      { id: shut.id, status: "NOT_CLAIMABLE" },
      { id: a.id, status: "CLAIMED" },
      { id: b.id, status: "NOT_CLAIMABLE" },
      { id: b.id, status: "CLAIMED" },
      { id: a.id, status: "CLAIMED" },
    ],
  ]);
  const none = await claim(world, who, [shut, a]);
  expect([none.status, none.code]).toEqual([404, 105]);
});

test("CL-04 T-13 any sensor that can't be claimed gets 105 and stays unchanged", async () => {
  const label = await enrollLabelled(world, maker);
  const shut = await enrollLabelled(world, maker, false);
  const gone = await enrollLabelled(world, maker);
  await world.call(maker, "DELETE", `/api/sensor/${gone.id}`);
  const cases: Record<string, JsonObject> = {
    "re-registration is off": shut,
    "the sensor is deleted": gone,
    "the code is another's": { ...label, claimingCode: shut.claimingCode },
    "the code belongs to no sensor": { ...label, claimingCode: "ZZZZ2222" },
    "the id is another's": { ...label, id: shut.id },
    "the id belongs to no sensor": { ...label, id: newSensorId() },
    "the type is another": { ...label, type: "ZOD" },
    "the code can't even be stored": { ...label, claimingCode: "\u0000ABC2345" },
    "the code is half a character": { ...label, claimingCode: "\ud800ABC2345" },
    "the code is too short": { ...label, claimingCode: label.claimingCode.slice(1) },
    "the code is too long": { ...label, claimingCode: `${label.claimingCode}2` },
  };
  const who = await newcomer();
  const answers = new Set<string>();
  for (const [why, item] of Object.entries(cases)) {
    const reply = await claim(world, who, [item]);
    expect([reply.status, reply.code], why).toEqual([404, 105]);
    answers.add(JSON.stringify({ ...(reply.body as JsonObject), requestId: "" }));
  }
  for (const code of [shut.claimingCode, gone.claimingCode, "ZZZZ2222", "SHORT", "NINESIGNS", "<>[]{}22"]) {
    const reply = await lookUpClaim(world, who, code);
    expect([reply.status, reply.code], code).toEqual([404, 105]);
    answers.add(JSON.stringify({ ...(reply.body as JsonObject), requestId: "" }));
  }
  expect([...answers]).toHaveLength(1);
  for (const { id } of [label, shut]) {
    expect((await world.call(maker, "GET", `/api/sensor/${id}`)).at("owner._id")).toBe(maker.id);
  }
});

test("T-13 invalid forms are refused and nothing is stored", async () => {
  const label = await enrollLabelled(world, maker);
  const { claimingCode: _, ...codeless } = label;
  const many = (n: number) => Array.from({ length: n }, () => label);
  const before = await captureSnapshot(world.ctx.db);
  const cases: [string, unknown, number][] = [
    ["no list", {}, 104],
    ["an empty list", { sensors: [] }, 102],
    ["51 entries", { sensors: many(51) }, 102],
    ["10,000 entries", { sensors: many(10_000) }, 102],
    ["no code", { sensors: [codeless] }, 104],
    ["a code that is a number", { sensors: [{ ...label, claimingCode: 12_345_678 }] }, 402],
    ["an id that is none", { sensors: [{ ...label, id: "anything" }] }, 102],
    ["an unknown type", { sensors: [{ ...label, type: "DOOR" }] }, 102],
    ["an owner to claim for", { sensors: [{ ...label, owner: maker.id }] }, 402],
    ["an unknown field", { sensors: [label], owner: customer.id }, 402],
  ];
  for (const [why, body, code] of cases) {
    const reply = await world.call(customer, "POST", "/api/claim/", { body });
    expect([reply.status, reply.code], why).toEqual([400, code]);
  }
  for (const who of [null]) {
    expect((await lookUpClaim(world, who, label.claimingCode)).status).toBe(401);
    expect((await claim(world, who, [label])).status).toBe(401);
  }
  expect(await captureSnapshot(world.ctx.db)).toEqual(before);
});

test("T-13 without the right to create sensors for oneself 303, without using an attempt", async () => {
  const label = await enrollLabelled(world, maker);
  const rights = {
    nothing: {},
    others: { ownable: { sensor: { canCreateObjectFor: { myChildren: true, relativeAncestorLevel: 3 } } } },
    everythingElse: {
      ...fullPermissions,
      ownable: { ...fullPermissions.ownable, sensor: { ...fullPermissions.ownable?.sensor, canCreateObjectFor: {} } },
    },
    roleless: null,
  };
  for (const [name, permissions] of Object.entries(rights)) {
    const who = await world.account(name, customer, permissions);
    const before = await captureSnapshot(world.ctx.db);
    for (const code of [label.claimingCode, "ZZZZ2222"]) {
      const found = await lookUpClaim(world, who, code);
      expect([found.status, found.code], name).toEqual([403, 303]);
    }
    const taken = await claim(world, who, [label]);
    expect([taken.status, taken.code], name).toEqual([403, 303]);
    expect(await captureSnapshot(world.ctx.db)).toEqual(before);
  }
  const self = await world.account("Self", customer, { ownable: { sensor: { canCreateObjectFor: { me: true } } } });
  expect((await claim(world, self, [label])).status).toBe(200);
});

test("T-13 after twenty wrong codes an hour right ones wait, too, in every process", async () => {
  const label = await enrollLabelled(world, maker);
  const who = await newcomer();
  for (let n = 0; n < 10; n += 1) expect((await lookUpClaim(world, who, wrong(n))).status).toBe(404);
  for (let n = 0; n < 6; n += 1) expect((await lookUpClaim(world, who, "SHORT")).status).toBe(404);
  clock.moveTo(clock.now() + 10 * 60_000);
  const wrongs = Array.from({ length: 10 }, (_, n) => ({ ...label, claimingCode: wrong(n) }));
  expect((await claim(world, who, wrongs)).status).toBe(404);
  for (const reply of [await lookUpClaim(world, who, label.claimingCode), await claim(world, who, [label])]) {
    expect(reply.status).toBe(429);
    expect(Number(reply.headers.get("retry-after"))).toBe(50 * 60);
  }
  const folder = mkdtempSync(join(tmpdir(), "psp-claim-"));
  const env = { DATABASE_URL: world.databaseUrl, DATA_DIR: folder, HOST: "127.0.0.1", PORT: "0", PARTS: "api" };
  const second = await startServer(readConfig({ ...env, LOG_LEVEL: "silent" }), pino({ level: "silent" }), { clock });
  const there = await fetch(`${second.url}/api/claim/${label.claimingCode}`, {
    headers: { authorization: `Bearer ${who.token}` },
  });
  expect(there.status).toBe(429);
  await second.stop();
  await rm(folder, { recursive: true, force: true });
  expect((await lookUpClaim(world, customer, label.claimingCode)).status).toBe(200);
  clock.moveTo(clock.now() + 50 * 60_000);
  expect((await claim(world, who, [label])).status).toBe(200);
});

test("T-13 a wrong code counts for an hour, each time", async () => {
  const label = await enrollLabelled(world, maker);
  const who = await newcomer();
  const from = clock.now();
  for (let n = 0; n < 20; n += 1) expect((await lookUpClaim(world, who, wrong(0))).status).toBe(404);
  clock.moveTo(from + hourMs - 1);
  expect((await lookUpClaim(world, who, label.claimingCode)).status).toBe(429);
  clock.moveTo(from + hourMs);
  expect((await lookUpClaim(world, who, label.claimingCode)).status).toBe(200);
});

test("T-13 one call can't exceed the budget: the rest is skipped", async () => {
  const label = await enrollLabelled(world, maker);
  const who = await newcomer();
  const wrongs = Array.from({ length: 20 }, (_, n) => ({ ...label, claimingCode: wrong(n) }));
  expect((await claim(world, who, [...wrongs, label])).status).toBe(404);
  expect((await world.call(maker, "GET", `/api/sensor/${label.id}`)).status).toBe(200);
  expect((await claim(world, who, [label])).status).toBe(429);
});

test("T-13 of sixty concurrent guesses exactly twenty are checked", async () => {
  const who = await newcomer();
  const replies = await Promise.all(Array.from({ length: 60 }, (_, n) => lookUpClaim(world, who, wrong(n))));
  const of = (status: number) => replies.filter((reply) => reply.status === status).length;
  expect([of(404), of(429)]).toEqual([20, 40]);
});

test("T-13 a thousand wrong codes within a day raise an alarm in the metrics", { tags: "prove" }, async () => {
  const figure = async (name: string) => {
    const text = String((await world.call(null, "GET", "/metrics")).body);
    return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
  };
  clock.moveTo(clock.now() + 25 * hourMs);
  expect([await figure("psp_claim_wrong_codes_day"), await figure("psp_claim_alarm")]).toEqual([0, 0]);
  const guessers = await Promise.all(Array.from({ length: 50 }, newcomer));
  const guess = async (who: Person, from: number, to: number) => {
    for (let n = from; n < to; n += 1) await lookUpClaim(world, who, wrong(n));
  };
  await Promise.all(guessers.map((who, n) => guess(who, 0, n === 0 ? 19 : 20)));
  expect([await figure("psp_claim_wrong_codes_day"), await figure("psp_claim_alarm")]).toEqual([999, 0]);
  await guess(guessers[0] as Person, 19, 20);
  expect([await figure("psp_claim_wrong_codes_day"), await figure("psp_claim_alarm")]).toEqual([1000, 1]);
  clock.moveTo(clock.now() + 25 * hourMs);
  expect(await figure("psp_claim_alarm")).toBe(0);
});

test("T-27 a repeated claim gets the first response and uses no second attempt", async () => {
  const label = await enrollLabelled(world, maker);
  const who = await newcomer();
  const good = { "idempotency-key": "claim-1" };
  const first = await claim(world, who, [label], good);
  const again = await claim(world, who, [label], good);
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(first.body);
  const bad = { "idempotency-key": "claim-2" };
  for (let n = 0; n < 30; n += 1) expect((await claim(world, who, [label], bad)).status).toBe(404);
  await makeClaimable(world, who, label.id);
  expect((await claim(world, who, [label])).status).toBe(404);
});
