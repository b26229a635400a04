// Tests the progress of one firmware: figures compared with a plain count in memory, reasons, and visibility (SE-09,
// FW-03).
import type { Rollout } from "@psp/contract/firmware/firmware.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import { rolloutProgress } from "@psp/contract/rollout/rollout-progress.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { explainStatement, captureStatements } from "../testing/asked-statements.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";

const states = ["waiting", "paused", "installing", "done", "failed", "canceled", null] as const;
const infos = ["No space left", "Checksum wrong", null];

let world: World;
let owner: Person;
let branch: Person;
let firmware: string;
let other: string;

beforeAll(async () => {
  world = await createWorld();
  owner = await world.account("Harbour Stores", world.root, fullPermissions);
  branch = await world.account("Branch", owner, {
    ownable: { sensor: { canViewObject: { me: true } }, artifact: { canViewObject: { me: true } } },
  });
  firmware = await world.firmware(owner, "APS", "1.19.0");
  await world.ctx.db.updateTable("firmware").set({ children_can_view: true }).where("id", "=", firmware).execute();
  other = await world.firmware(owner, "APS", "1.18.0");
});
afterAll(() => world.stop());

type Planted = {
  owner: Person;
  state: (typeof states)[number] | "elsewhere";
  info: string | null;
  runs: boolean;
  kept: boolean;
};
const planted: Planted[] = [];

async function plant(): Promise<void> {
  for (let n = 0; n < 120; n += 1) {
    const state = states[n % states.length] ?? null;
    const one = {
      owner: n % 4 === 0 ? branch : owner,
      state,
      info: state === "failed" ? (infos[n % 3] ?? null) : null,
      runs: n % 5 === 0,
      // After a cancellation, sensors no longer have the firmware; half of them have another one.
      kept: state !== "canceled",
    };
    planted.push(one);
    await world.ctx.db
      .insertInto("sensor")
      .values({
        id: toMac(0x0200_0001_0000 + n),
        owner_id: one.owner.id,
        owner_path: one.owner.path,
        type: "APS",
        firmware_id: one.kept ? firmware : n % 8 === 4 ? other : null,
        firmware_running_id: one.runs ? firmware : null,
        installation: state,
        update_task: state === null ? null : JSON.stringify({ artifactID: firmware, info: one.info }),
        is_deleted: n % 17 === 0,
      })
      .execute();
    if (n % 17 === 0) planted.pop();
    if (state === "canceled" && n % 8 === 4) Object.assign(one, { state: "elsewhere" });
  }
}

const look = (who: Person, id = firmware) => world.call(who, "GET", `/api/artifact/${id}/rollout`);

test("SE-09 FW-03 each number of a rollout matches the list behind its link, per viewer", async () => {
  await plant();
  for (const who of [owner, branch, world.root]) {
    const mine = planted.filter((one) => who !== branch || one.owner === branch);
    const reply = await look(who);
    expect(reply.status).toBe(200);
    const counted = reply.body as Record<string, number>;
    const inState = (state: unknown) => mine.filter((one) => one.state === state).length;
    for (const state of ["waiting", "paused", "installing", "done", "failed", "canceled"]) {
      expect(counted[state], state).toBe(inState(state));
      const listed = await world.call(
        who,
        "GET",
        `/api/v2/sensor?artifactID=${firmware}&installation=${state}&limit=1&includeTotals=true`,
      );
      expect(listed.at("total"), state).toBe(counted[state]);
    }
    expect(counted["ranBefore"]).toBe(inState(null));
    expect(counted["running"]).toBe(mine.filter(({ runs }) => runs).length);
    const all = await world.call(who, "GET", `/api/v2/sensor?artifactID=${firmware}&limit=1&includeTotals=true`);
    expect(all.at("total")).toBe(counted["assigned"]);
    const failed = mine.filter(({ state }) => state === "failed");
    const reasons = infos
      .map((reason) => ({ reason, count: failed.filter(({ info }) => info === reason).length }))
      .filter(({ count }) => count > 0);
    const inOrder = reasons.toSorted(
      (a, b) => b.count - a.count || (a.reason ?? "Z").localeCompare(b.reason ?? "Z", "en"),
    );
    expect(reply.at("reasons")).toEqual(inOrder);
    expect(reply.at("otherReasons")).toBe(0);
  }
});

test("SE-09 the most frequent reasons are listed, the others counted", async () => {
  const busy = await world.firmware(owner, "APS", "2.0.0");
  await sql`insert into sensor (id, owner_id, owner_path, type, firmware_id, installation, update_task)
    select '04:00:00:00:00:' || lpad(upper(to_hex(n)), 2, '0'), ${owner.id}::uuid, ${owner.path}, 'APS', ${busy}::uuid, 'failed',
      jsonb_build_object('artifactID', ${busy}::text, 'info', 'Reason ' || (n / 2))
    from generate_series(0, 59) n`.execute(world.ctx.db);
  const reply = await look(owner, busy);
  expect(reply.at("failed")).toBe(60);
  const reasons = reply.at("reasons") as JsonObject[];
  expect(reasons).toHaveLength(20);
  expect(reasons.map(({ count }) => count)).toEqual(Array.from({ length: 20 }, () => 2));
  expect(reply.at("otherReasons")).toBe(20);
});

test("SE-09 a rollout's percentage counts only its own sensors", async () => {
  const shown = await world.firmware(owner, "APS", "4.0.0");
  const next = await world.firmware(owner, "APS", "4.1.0");
  const put = async (id: string, body: object) => {
    const reply = await world.call(world.root, "PUT", `/api/sensor/${id}`, { body });
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  };
  const ids = Array.from({ length: 7 }, (_, n) => toMac(0x0200_0001_0900 + n));
  const [ranBefore = "", done = "", waiting = "", takenOver = "", canceled = "", deleted = "", handedOver = ""] = ids;
  for (const _id of ids)
    await world.call(world.root, "POST", "/api/sensor", { body: { _id, owner: owner.id, type: "APS" } });
  const set = (id: string, values: { running_version?: string; installation?: "done" }) =>
    world.ctx.db.updateTable("sensor").set(values).where("id", "=", id).execute();
  await set(ranBefore, { running_version: "4.0.0" });
  for (const id of ids) await put(id, { artifact: shown });
  await set(done, { running_version: "4.0.0", installation: "done" });
  await put(takenOver, { artifact: next });
  await put(canceled, { artifact: "" });
  expect((await world.call(world.root, "DELETE", `/api/sensor/${deleted}`)).status).toBe(200);
  const stranger = await world.account("Stranger", world.root, fullPermissions);
  await put(handedOver, { owner: stranger.id });
  const progress = async (id: string) => rolloutProgress((await look(owner, id)).body as Rollout);
  expect((await look(owner, shown)).body).toMatchObject({
    assigned: 4,
    waiting: 1,
    done: 1,
    canceled: 1,
    ranBefore: 1,
  });
  expect(await progress(shown)).toEqual({ done: 1, all: 2 });
  expect(await progress(next)).toEqual({ done: 0, all: 1 });
  await put(waiting, { artifact: next });
  expect(await progress(shown)).toEqual({ done: 1, all: 1 });
});

test("SE-09 invisible firmware has no rollout; without visible sensors none are counted", async () => {
  expect((await look(branch, other)).code).toBe(105);
  const blind = await world.account("Blind", owner, { ownable: { artifact: { canViewObject: { me: true } } } });
  expect((await look(blind)).body).toMatchObject({ running: 0, assigned: 0, failed: 0, reasons: [] });
});

test("SE-09 in a large fleet, numbers and pace of a rollout use indexes", async () => {
  const fleet = await world.firmware(owner, "APS", "3.0.0");
  await sql`insert into sensor (id, owner_id, owner_path, type, firmware_id, installation)
    select '06:' || regexp_replace(lpad(upper(to_hex(n)), 10, '0'), '(..)(..)(..)(..)(..)', '\\1:\\2:\\3:\\4:\\5'),
      ${owner.id}::uuid, ${owner.path}, 'APS', case when n % 10 = 0 then ${fleet}::uuid end, case when n % 10 = 0 then 'done' end
    from generate_series(1, 20000) n`.execute(world.ctx.db);
  // Five of two thousand installations ended within the last hour, the others long ago.
  await sql`insert into update_task (id, sensor_num, firmware_id, version, state, created_at, created_by, changed_at, deadline)
    select gen_random_uuid(), num, ${fleet}::uuid, '3.0.0', 'done', now() - interval '9 days', ${owner.id}::uuid,
      now() - case when row_number() over (order by num) <= 5 then interval '10 minutes' else interval '8 days' end, now()
    from sensor where firmware_id = ${fleet}::uuid`.execute(world.ctx.db);
  await sql`vacuum (analyze) sensor`.execute(world.ctx.db);
  await sql`vacuum (analyze) update_task`.execute(world.ctx.db);
  const sent = await captureStatements(async () => {
    expect((await look(owner, fleet)).body).toMatchObject({ done: 2000, recentlyDone: 5, estimatedEndAt: null });
  });
  const asked = sent.filter(({ text }) => /\b(from|join)\s+(sensor|update_task)\b/.test(text));
  const plans = await Promise.all(asked.map((statement) => explainStatement(world.ctx.db, statement)));
  for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on (sensor|update_task)/);
  expect(plans.join("\n")).toContain("sensor_by_rollout");
  expect(plans.join("\n")).toContain("update_task_done");
});
