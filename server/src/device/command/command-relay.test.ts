// Tests remote functions with the API and the gateway in separate processes.
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Server } from "../../process/server.ts";
import { until } from "../../testing/devices/device-world.ts";
import { answer, connectSensor } from "../../testing/devices/remote-sensor.ts";
import { startBeside } from "../../testing/scenes/second-server.ts";
import { createWorld, type Person, type World } from "../../testing/world.ts";

const dataDir = mkdtempSync(join(tmpdir(), "psp-relay-"));
const id = "02:00:00:00:52:01";

let world: World;
let owner: Person;
let gateway: Server | null = null;
beforeAll(async () => {
  world = await createWorld();
  owner = await world.account("Harbour Stores", world.root, fullPermissions);
});
afterAll(async () => {
  await gateway?.stop();
  await world.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Does the work as if the database crashed afterwards: what was announced is lost, and processes notice it. */
async function beforeCrash(work: () => Promise<void>): Promise<void> {
  const { announcements, db } = world.ctx;
  const { append, committed } = announcements;
  announcements.append = (tx, _events, audited) => append(tx, [], audited);
  announcements.committed = () => undefined;
  try {
    await work();
  } finally {
    Object.assign(announcements, { append, committed });
  }
  await sql`truncate announcement, announcement_log, announcement_mark`.execute(db);
}

const startGateway = () => startBeside(world, "gateway", dataDir);

const ask = (func: string, { to = id, verb = "request", timeout = 10_000 } = {}) =>
  world.call(owner, "POST", `/api/sensor/${to}/${verb}`, { body: { func, data: "", timeout } });
const bytesOf = (data: unknown) => Buffer.from(String(data), "base64");

test("ER-01 509 within seconds without a gateway", async () => {
  await world.call(owner, "POST", "/api/sensor", { body: { _id: "02:00:00:00:52:09", owner: owner.id, type: "APS" } });
  const reply = await ask("getSnapshot", { to: "02:00:00:00:52:09", timeout: 60_000 });
  expect([reply.status, reply.code, reply.at("details.reason")]).toEqual([502, 509, "No gateway runs"]);
});

test("SE-11 the API's process reaches sensors at the gateway's: responses, refusals, silence, absence", async () => {
  gateway = await startGateway();
  const sensor = await connectSensor(world, owner, id, gateway);
  const picture = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7919) % 251));
  sensor.onAsked(({ func }, say) => say(answer(func, picture, { ct: "image/jpeg" })));
  const reply = await ask("getSnapshot");
  expect(reply.status, JSON.stringify(reply.body).slice(0, 200)).toBe(200);
  expect(reply.at("ct")).toBe("image/jpeg");
  expect(bytesOf(reply.at("data")).equals(picture)).toBe(true);

  sensor.onAsked((_, say) => say({ ok: false, code: 505, message: "Grüße ✓" }));
  const refusal = await ask("getSnapshot");
  expect([refusal.code, refusal.at("details.message")]).toEqual([505, "Grüße ✓"]);

  sensor.onAsked(() => undefined);
  expect((await ask("getSnapshot", { timeout: 50 })).code).toBe(504);

  const heard = sensor.asked.length;
  expect((await ask("resetNetworkConfig", { verb: "publish" })).status).toBe(202);
  await until("the question", () => sensor.asked.length > heard);

  await sensor.end();
  await until("509", async () => (await ask("getSnapshot", { timeout: 100 })).code === 509);
});

test("T-13 a hand-over with a lost event is caught up: the sensor gets its new password", async () => {
  gateway ??= await startGateway();
  const given = "02:00:00:00:52:03";
  const heir = await world.account("Heir", owner, fullPermissions);
  const sensor = await connectSensor(world, owner, given, gateway);
  // The desired state is the last message after a birth, so a new password would have arrived before it.
  await sensor.heard("desired");
  await beforeCrash(async () => {
    expect((await world.call(owner, "PUT", `/api/sensor/${given}`, { body: { owner: heir.id } })).status).toBe(200);
  });
  await sensor.heard("cmd", (said: { do: string }) => said.do === "cred");
  await sensor.end();
});

test("T-13 T-28 a deletion with a lost event is caught up: the session ends", async () => {
  gateway ??= await startGateway();
  const doomed = "02:00:00:00:52:02";
  const sensor = await connectSensor(world, owner, doomed, gateway);
  const ended = new Promise<void>((resolve) => void sensor.client.once("close", resolve));
  await beforeCrash(async () => {
    expect((await world.call(owner, "DELETE", `/api/sensor/${doomed}`)).status).toBe(200);
  });
  await ended;
});
