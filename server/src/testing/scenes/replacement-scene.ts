// A dealer with shops and sensors, for tests of replacements.
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { storeRecords } from "../../count/record/record.store.ts";
import { newSensorId } from "../rights/claiming.ts";
import type { JsonObject, Person, Reply, World } from "../world.ts";

export type Shop = { owner: Person; location: string };

export async function createShop(
  world: World,
  name: string,
  permissions: Permissions = fullPermissions,
): Promise<Shop> {
  const owner = await world.account(name, world.root, permissions);
  return { owner, location: await newLocation(world, owner, name) };
}

export async function newLocation(world: World, owner: Person, name: string, more: JsonObject = {}): Promise<string> {
  const made = await world.call(owner, "POST", "/api/measurement", { body: { name, owner: owner.id, ...more } });
  if (made.status !== 200) throw new Error(`Location: ${made.status} ${JSON.stringify(made.body)}`);
  return made.id;
}

/** A sensor of this owner with these changes. */
export async function newSensor(world: World, owner: Person, change: JsonObject = {}, type = "APS"): Promise<string> {
  const id = newSensorId();
  const made = await world.call(owner, "POST", "/api/sensor", { body: { _id: id, owner: owner.id, type } });
  if (made.status !== 200) throw new Error(`Sensor: ${made.status} ${JSON.stringify(made.body)}`);
  if (Object.keys(change).length > 0) {
    const changed = await world.call(owner, "PUT", `/api/sensor/${id}`, { body: change });
    if (changed.status !== 200) throw new Error(`Change: ${changed.status} ${JSON.stringify(changed.body)}`);
  }
  return id;
}

export const replace = (world: World, who: Person, old: string, body: JsonObject, headers = {}): Promise<Reply> =>
  world.call(who, "POST", `/api/sensor/${old}/replace`, { body, headers });
export const check = (world: World, who: Person, old: string, body: JsonObject): Promise<Reply> =>
  world.call(who, "POST", `/api/sensor/${old}/replace/check`, { body });
export const undo = (world: World, who: Person, old: string, replacement: unknown): Promise<Reply> =>
  world.call(who, "POST", `/api/sensor/${old}/replace/undo`, { body: { replacement } });
export const show = (world: World, who: Person, id: string): Promise<Reply> =>
  world.call(who, "GET", `/api/sensor/${id}`);

/** Stores a record of a sensor as if it had arrived now. */
export async function count(world: World, id: string, s: number, e: number, people: number): Promise<void> {
  const row = await world.ctx.db
    .selectFrom("sensor")
    .select(["num", "owner_id", "location_id"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const sensor = { num: row.num, id, ownerId: row.owner_id, locationId: row.location_id };
  const lines = [{ id: "door", name: "Door", in: people, out: 0 }];
  const record = { q: 1, t: "count", s, e, lines, osd: 0, ck: "ok", cor: true } as const;
  await world.ctx.db
    .transaction()
    .execute((tx) => storeRecords(tx, world.ctx.clock.now(), [{ sensor, record, via: "live" } as never]));
}

/** People of a location, from stored daily sums and from the data service. */
export async function readPeople(world: World, who: Person, location: string): Promise<[sums: number, served: number]> {
  const { rows } = await sql<{ people: number }>`
    select coalesce(sum(n_in), 0)::int as people from count_day where location_id = ${location}`.execute(world.ctx.db);
  const query = new URLSearchParams({ filter: `meas:${location}`, type: "counting", acc: "hour" });
  query.set("from", "2024-01-01T00:00:00Z");
  query.set("to", "2027-12-31T00:00:00Z");
  const reply = await world.call(who, "GET", `/data/v2/aggregate/json?${query.toString()}`);
  if (reply.status !== 200) throw new Error(`Counts: ${reply.status} ${JSON.stringify(reply.body)}`);
  const served = reply.list.reduce((sum, row) => sum + Number((row["data"] as { in: number | null }).in ?? 0), 0);
  return [rows[0]?.people ?? 0, served];
}

/** All rows about these sensors and the counts of a location, without what every change renews. */
export async function readEverything(world: World, ids: readonly string[], location: string) {
  const { db } = world.ctx;
  const list = async (query: ReturnType<typeof sql<{ row: JsonObject }>>) =>
    (await query.execute(db)).rows.map(({ row }) => row);
  return {
    sensors: await list(sql<{ row: JsonObject }>`select to_jsonb(s) - '{version,updated_at,claiming_code,rest_username,
      rest_password_sealed,changed_mark,owner_mark,location_mark,firmware_mark,groups_mark,claimable_mark}'::text[] as row
      from sensor s where id = any(${[...ids]}::text[]) order by id`),
    tasks: await list(sql<{
      row: JsonObject;
    }>`select to_jsonb(t) as row from update_task t join sensor s on s.num = t.sensor_num
      where s.id = any(${[...ids]}::text[]) order by t.id`),
    assignments: await list(sql<{ row: JsonObject }>`select to_jsonb(a) as row from sensor_location a
      join sensor s on s.num = a.sensor_num where s.id = any(${[...ids]}::text[]) order by a.sensor_num, a.from_at`),
    sums: await list(sql<{
      row: JsonObject;
    }>`select to_jsonb(d) as row from count_day d join sensor s on s.num = d.sensor_num
      where s.id = any(${[...ids]}::text[]) and (n_in, n_out, known_ms) <> (0, 0, 0)
      order by d.sensor_num, d.day, d.location_id`),
    apps: await list(
      sql<{ row: JsonObject }>`select to_jsonb(l.applications) as row from location l where id = ${location}`,
    ),
  };
}
