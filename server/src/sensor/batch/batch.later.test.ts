// A batch never overwrites changes made after it was requested, however slow it is and whichever process finishes it (SE-03, ADR 0015).
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../db/database.ts";
import { claim, makeClaimable } from "../../testing/rights/claiming.ts";
import { setPresence } from "../../testing/devices/device-states.ts";
import { holdBatches, untilRequested } from "../../testing/held-batches.ts";
import { untilSomebodyWaits } from "../../testing/waiting.ts";
import { createWorld, type JsonObject, type Person, type Reply, type World } from "../../testing/world.ts";
import { sensorBatchJob } from "./batch.job.ts";

let world: World;
let owner: Person;
let branch: Person;
let shop: string;
let hall: string;
let [older, newer] = ["", ""];
beforeAll(async () => {
  world = await createWorld();
  owner = await world.account("Harbour Stores", world.root, fullPermissions);
  branch = await world.account("Harbour Branch", owner, fullPermissions);
  [shop, hall] = [await location("Shop"), await location("Hall")];
  [older, newer] = [await world.firmware(owner, "APS", "1.0.0"), await world.firmware(owner, "APS", "2.0.0")];
});
afterAll(() => world.stop());

async function location(name: string): Promise<string> {
  return (await world.call(owner, "POST", "/api/measurement", { body: { name, owner: owner.id } })).id;
}

let last = 0;
async function sensors(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const _id = toMac(0x001e_c044_0000 + (last += 1));
    const made = await world.call(owner, "POST", "/api/sensor", { body: { _id, owner: owner.id, type: "APS" } });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    const code = `LATER${String(last).padStart(3, "0")}`;
    await world.ctx.db.updateTable("sensor").set({ claiming_code: code }).where("id", "=", _id).execute();
    ids.push(_id);
  }
  return ids;
}

const update = (sensorIDs: string[], changes: JsonObject) =>
  world.call(owner, "PUT", "/api/v2/sensor/batch-update", { body: { sensorIDs, changes } });
const remove = (sensorIDs: string[]) =>
  world.call(owner, "PUT", "/api/v2/sensor/batch-delete", { body: { sensorIDs } });
async function set(id: string, body: JsonObject, who = owner): Promise<void> {
  const reply = await world.call(who, "PUT", `/api/sensor/${id}`, { body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
}
const late = (...ids: string[]) => ids.toSorted().map((id) => ({ id, errMessage: "Changed meanwhile." }));

/** Runs `meanwhile` between the request of a batch and its execution; returns the batch's response. */
async function withMeanwhile(ask: () => Promise<Reply>, meanwhile: () => Promise<unknown>): Promise<Reply> {
  const held = await holdBatches(world.ctx, owner.id);
  const reply = ask();
  try {
    await untilRequested(world.ctx, owner.id);
    await meanwhile();
  } finally {
    await held.release();
  }
  return reply;
}

const look = async (id: string) => {
  const { body, at } = await world.call(owner, "GET", `/api/sensor/${id}`);
  const { groups, claimable } = body as { groups: string[]; claimable: boolean };
  return {
    owner: at("owner._id"),
    measID: at("measurement._id") ?? null,
    artifact: at("artifact._id") ?? null,
    groups,
    claimable,
  };
};
type Field = keyof Awaited<ReturnType<typeof look>>;

test.each<[Field, () => { batch: unknown; somebody: unknown }, JsonObject]>([
  ["groups", () => ({ batch: ["batch"], somebody: ["somebody"] }), { claimable: true }],
  ["measID", () => ({ batch: shop, somebody: hall }), { groups: ["north"] }],
  ["owner", () => ({ batch: branch.id, somebody: owner.id }), { groups: ["north"] }],
  ["artifact", () => ({ batch: older, somebody: newer }), { groups: ["north"] }],
  ["claimable", () => ({ batch: true, somebody: false }), { groups: ["north"] }],
])(
  "SE-03 %s: what somebody sets after a batch was asked for stays, and the sensor is reported as failed",
  async (field, values, other) => {
    const [untouched = "", changed = "", twice = "", elsewhere = "", before = ""] = await sensors(5);
    const { batch, somebody } = values();
    await set(before, { [field]: somebody });
    const was = await look(twice);
    const reply = await withMeanwhile(
      () => update([untouched, changed, twice, elsewhere, before], { [field]: batch }),
      async () => {
        await set(changed, { [field]: somebody });
        await set(twice, { [field]: batch });
        await set(twice, { [field]: was[field] });
        await set(elsewhere, other);
      },
    );
    expect(reply.body).toEqual({ success: 3, fail: late(changed, twice) });
    for (const id of [untouched, elsewhere, before]) expect((await look(id))[field], id).toEqual(batch);
    expect((await look(changed))[field]).toEqual(somebody);
    expect((await look(twice))[field]).toEqual(was[field]);
    expect(await look(elsewhere)).toMatchObject(other);
    expect((await update([changed, twice], { [field]: batch })).body).toEqual({ success: 2, fail: [] });
  },
);

test("SE-03 one field changed meanwhile keeps the sensor's other fields, too", async () => {
  const [changed = "", named = ""] = await sensors(2);
  const body = { name: "Branch", owner: branch.id };
  const theirs = (await world.call(branch, "POST", "/api/measurement", { body })).id;
  const reply = await withMeanwhile(
    () => update([changed, named], { groups: ["batch"], measID: theirs, artifact: older, owner: branch.id }),
    async () => {
      await set(changed, { measID: hall });
      await set(named, { artifact: "" });
    },
  );
  expect(reply.body).toEqual({ success: 0, fail: late(changed, named) });
  expect(await look(changed)).toMatchObject({ groups: [], measID: hall, artifact: null, owner: owner.id });
  expect(await look(named)).toMatchObject({ groups: [], measID: null, artifact: null, owner: owner.id });
});

test("SE-03 a sensor changed after its deletion was requested is not deleted", async () => {
  const [untouched = "", grouped = "", licensed = "", heard = "", claimed = ""] = await sensors(5);
  const claimingCode = await makeClaimable(world, owner, claimed);
  const fresh = "00:1E:C0:44:01:00";
  const reply = await withMeanwhile(
    () => remove([untouched, grouped, licensed, heard, claimed, fresh]),
    async () => {
      await set(grouped, { groups: ["keep"] });
      const licenses = { body: { monitoring: true } };
      expect((await world.call(world.root, "PUT", `/api/sensor/${licensed}/licenses`, licenses)).status).toBe(200);
      expect((await claim(world, branch, [{ id: claimed, type: "APS", claimingCode }])).status).toBe(200);
      const made = { _id: fresh, owner: owner.id, type: "APS" };
      expect((await world.call(owner, "POST", "/api/sensor", { body: made })).status).toBe(200);
      await setPresence(world.ctx, heard, true, "1.0.0");
    },
  );
  expect(reply.body).toEqual({ success: 2, fail: late(grouped, licensed, claimed, fresh) });
  for (const id of [untouched, heard]) expect((await world.call(owner, "GET", `/api/sensor/${id}`)).status).toBe(404);
  expect(await look(grouped)).toMatchObject({ groups: ["keep"] });
  expect(await look(claimed)).toMatchObject({ owner: branch.id });
});

test("SE-03 sensors of a location deleted meanwhile stay without one", async () => {
  const [there = "", elsewhere = ""] = await sensors(2);
  const closing = await location("Closing down");
  await set(there, { measID: closing });
  const reply = await withMeanwhile(
    () => update([there, elsewhere], { measID: shop }),
    async () => expect((await world.call(owner, "DELETE", `/api/measurement/${closing}`)).status).toBe(200),
  );
  expect(reply.body).toEqual({ success: 1, fail: late(there) });
  expect(await look(there)).toMatchObject({ measID: null });
});

test("SE-03 changes of a later batch stay; those of an earlier one do not", async () => {
  const [first = "", second = "", third = ""] = await sensors(3);
  expect((await update([first, third], { groups: ["earlier"] })).at("success")).toBe(2);
  let slow: Promise<Reply> = Promise.reject(new Error("not asked"));
  slow.catch(() => undefined);
  await world.ctx.db.transaction().execute(async (tx) => {
    await sql`select from sensor where id = ${first} for update`.execute(tx);
    slow = update([first, second, third], { groups: ["slow"] });
    await untilSomebodyWaits(world.ctx.db);
    expect((await update([second], { groups: ["quick"] })).body).toEqual({ success: 1, fail: [] });
  });
  expect((await slow).body).toEqual({ success: 2, fail: late(second) });
  expect((await look(first)).groups).toEqual(["slow"]);
  expect((await look(second)).groups).toEqual(["quick"]);
});

test("SE-03 a batch resumed by another process keeps changes made in between", async () => {
  const short = await createWorld();
  const next = openDatabase(short.databaseUrl, { pool: 1, log: short.ctx.log });
  try {
    const asker = await short.account("Harbour Stores", short.root, fullPermissions);
    const [untouched, changed] = ["00:1E:C0:45:00:01", "00:1E:C0:45:00:02"];
    for (const _id of [untouched, changed])
      await short.call(asker, "POST", "/api/sensor", { body: { _id, owner: asker.id, type: "APS" } });
    // The batch needs several parts, because the server stops after the first one. The two sensors are in the last one.
    const missing = Array.from({ length: 5_000 }, (_, n) => `none-${n}`);
    const held = await holdBatches(short.ctx, asker.id);
    const call = short.call(asker, "PUT", "/api/v2/sensor/batch-update", {
      body: { sensorIDs: [...missing, untouched, changed], changes: { groups: ["batch"] } },
    });
    await untilRequested(short.ctx, asker.id);
    const body = { groups: ["somebody"] };
    expect((await short.call(asker, "PUT", `/api/sensor/${changed}`, { body })).status).toBe(200);
    const closed = short.server.app.close();
    await held.release();
    expect((await call).status).toBe(503);
    await closed;
    short.ctx.clock.moveTo(short.ctx.clock.now() + 120_000);
    await sensorBatchJob({ ...short.ctx, db: next }).run();
    const { rows } = await sql<{ id: string; groups: string[] }>`select id, groups from sensor order by id`.execute(
      next,
    );
    expect(rows).toEqual([
      { id: untouched, groups: ["batch"] },
      { id: changed, groups: ["somebody"] },
    ]);
    const { rows: reported } = await sql<JsonObject>`select b.success, f.code from sensor_batch b
      join sensor_batch_fail f on f.batch_id = b.id where f.sensor_id = ${changed}`.execute(next);
    expect(reported).toEqual([{ success: 1, code: -1 }]);
  } finally {
    await next.destroy();
    await short.stop();
  }
});
