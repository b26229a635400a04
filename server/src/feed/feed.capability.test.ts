// Checks that only the newest level of each coach is stored, in few writes, and that no level is lost when the server stops.
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { CompiledQuery } from "kysely";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { Context } from "../context.ts";
import { openDatabase } from "../db/database.ts";
import { captureStatements } from "../testing/asked-statements.ts";
import { until } from "../testing/devices/device-world.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { feed } from "./feed.capability.ts";

const clock = createStillClock();
let world: World;
let owner: Person;
let last = 0;
beforeAll(async () => {
  world = await createWorld({ clock });
  owner = await world.account("Tram Lines", world.root, fullPermissions);
});
afterAll(() => world.stop());

async function coach(): Promise<string> {
  last += 1;
  const _id = toMac(0x0200_0001_0000 + last);
  await world.call(owner, "POST", "/api/sensor", { body: { _id, owner: owner.id, type: "ZOD" } });
  return _id;
}

function begin(ctx: Context = world.ctx) {
  const running = feed.start?.(ctx);
  const say = (sensorId: string, n: number) =>
    ctx.bus.emit({
      name: "liveLevel",
      event: { sensorId, level: { t: "occ", at: 0, zones: [{ id: "s1", n }] } },
    });
  return { say, stop: async () => running?.stop?.() };
}

const levelOf = async (id: string) => {
  const row = await world.ctx.db
    .selectFrom("vehicle_level as l")
    .innerJoin("sensor as s", "s.num", "l.sensor_num")
    .select("l.zones")
    .where("s.id", "=", id)
    .executeTakeFirst();
  return row?.zones[0]?.n;
};
const warning = () =>
  new Promise<void>((resolve) => {
    const { log } = world.ctx;
    const { warn } = log;
    log.warn = (...given: unknown[]) => {
      log.warn = warn;
      Reflect.apply(warn, log, given);
      resolve();
    };
  });
const isWrite = ({ text }: { text: string }) => text.includes("insert into vehicle_level");

test("many messages are few writes; the newest of each coach counts, and none is lost", async () => {
  const ids = [await coach(), await coach(), await coach()];
  const { say, stop } = begin();
  const asked = await captureStatements(async () => {
    for (const id of ids) say(id, 1);
    await until("the first are written at once", async () => (await levelOf(ids[2] ?? "")) === 1);
    for (let n = 2; n <= 100; n += 1) for (const id of ids) say(id, n);
    await stop();
  });
  expect(asked.filter(isWrite)).toHaveLength(2);
  expect(await Promise.all(ids.map(levelOf))).toEqual([100, 100, 100]);
});

test("unwritten levels are dropped on a hand-over", async () => {
  const [one, other] = [await coach(), await coach()];
  const { say, stop } = begin();
  say(one, 1);
  say(other, 1);
  world.ctx.bus.emit({ name: "sensorsDropped", event: { sensorIds: [one] } });
  await stop();
  expect(await levelOf(one)).toBeUndefined();
  expect(await levelOf(other)).toBe(1);
});

test("levels from before a hand-over are not stored, and older ones never replace newer", async () => {
  const id = await coach();
  const former = clock.now();
  clock.moveTo(former + 1000);
  await world.ctx.db.updateTable("sensor").set({ visible_from: clock.date() }).where("id", "=", id).execute();
  const early = begin({ ...world.ctx, clock: { ...clock, date: () => new Date(former) } });
  early.say(id, 1);
  await early.stop();
  expect(await levelOf(id)).toBeUndefined();
  const now = begin();
  now.say(id, 2);
  await now.stop();
  const late = begin({ ...world.ctx, clock: { ...clock, date: () => new Date(clock.now() - 1) } });
  late.say(id, 3);
  await late.stop();
  expect(await levelOf(id)).toBe(2);
});

test("the newest levels are kept while the database is unavailable", async () => {
  const id = await coach();
  const away = openDatabase("postgres://none@127.0.0.1:1/none", { pool: 1, log: world.ctx.log });
  let db = away;
  const { say, stop } = begin({
    ...world.ctx,
    get db() {
      return db;
    },
  });
  const failed = warning();
  say(id, 5);
  await failed;
  db = world.ctx.db;
  await stop();
  expect(await levelOf(id)).toBe(5);
  await away.destroy();
});

test("concurrent levels and hand-overs wait for each other; old levels are not stored", async () => {
  const [known, fresh] = [await coach(), await coach()];
  const { db } = world.ctx;
  const other = await world.account("Other Lines", world.root, fullPermissions);
  const warn = vi.spyOn(world.ctx.log, "warn");
  onTestFinished(() => warn.mockRestore());
  const { say, stop } = begin();
  say(known, 1);
  await until("the one is known", async () => (await levelOf(known)) === 1);
  const { stopping } = await db.transaction().execute(async (tx) => {
    const ids = [known, fresh];
    await tx.selectFrom("sensor").select("id").where("id", "in", ids).orderBy("id").forUpdate().execute();
    say(known, 2);
    say(fresh, 2);
    const ending = stop();
    await untilSomebodyWaits(db);
    await tx
      .updateTable("sensor")
      .set({ owner_id: other.id, owner_path: other.path, visible_from: new Date(clock.now() + 1) })
      .where("id", "in", ids)
      .execute();
    return { stopping: ending };
  });
  await stopping;
  expect(warn).not.toHaveBeenCalled();
  expect(await Promise.all([known, fresh].map(levelOf))).toEqual([undefined, undefined]);
});

test("levels survive a deadlock", async () => {
  const id = await coach();
  const { db } = world.ctx;
  const run = (text: string) => db.executeQuery(CompiledQuery.raw(text));
  await run("create sequence refusals");
  await run(`create function refuse_once() returns trigger language plpgsql as $$ begin
    if nextval('refusals') = 1 then raise sqlstate '40P01'; end if;
    return new; end $$`);
  await run("create trigger refuse_once before insert on vehicle_level for each row execute function refuse_once()");
  const { say, stop } = begin();
  const failed = warning();
  say(id, 5);
  await failed;
  await run("drop trigger refuse_once on vehicle_level");
  await stop();
  expect(await levelOf(id)).toBe(5);
});
