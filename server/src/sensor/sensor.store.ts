// SQL about sensors, nothing else.
import type { sensorFilter } from "@psp/contract/sensor/sensor.api.ts";
import { onlyUuids, parseMac } from "@psp/contract/kit/ids.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import { editSet, viewSet } from "@psp/contract/permission/can.ts";
import { type Expression, type SqlBool, sql } from "kysely";
import type { z } from "zod";
import type { Caller } from "../caller.ts";
import type { Reader, Tx } from "../db/database.ts";
import { conjunction, countRows, idsJson, oneOf } from "../db/list.ts";
import { countOwned } from "../db/owned-count.ts";
import { ownerIn } from "../db/visible.ts";
import { visibleFirmware } from "../firmware/firmware.rights.ts";

export type SensorFilter = { [K in keyof typeof sensorFilter]?: z.output<(typeof sensorFilter)[K]> };

const columns = { id: "sensor.owner_id", path: "sensor.owner_path" };

/** What the caller's list shows: within the view scope, living unless asked otherwise, and every filter given. */
export function sensorConditions(
  caller: Caller,
  filter: SensorFilter,
  options: { includeDeleted?: boolean | undefined; now: Date; timeoutHours: number },
): Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = [ownerIn(viewSet(caller, "sensor"), caller, columns)];
  if (!options.includeDeleted) all.push(sql<boolean>`not sensor.is_deleted`);
  const { ids, sensorType, ownerID, artifactRunningID, infoSoftwareFirmwareVersion: versions, measID } = filter;
  if (ids)
    all.push(
      oneOf(
        "sensor.id",
        ids.map((id) => parseMac(id) ?? id),
        "text",
      ),
    );
  if (sensorType) all.push(oneOf("sensor.type", sensorType, "text"));
  if (ownerID) all.push(oneOf("sensor.owner_id", onlyUuids(ownerID), "uuid"));
  if (artifactRunningID) all.push(oneOf("sensor.firmware_running_id", onlyUuids(artifactRunningID), "uuid"));
  if (versions) all.push(oneOf("sensor.running_version", versions, "text"));
  if (measID) all.push(oneOf("sensor.location_id", onlyUuids(measID), "uuid"));
  if (filter.claimable) all.push(sql<boolean>`sensor.claimable = ${filter.claimable === "enabled"}`);
  if (filter.groups) all.push(sql<boolean>`(sensor.groups && ${filter.groups}::text[] and sensor.groups <> '{}')`);
  if (filter.sensorID) {
    const digits = filter.sensorID.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
    all.push(digits ? sql<boolean>`sensor.wire_id like ${`%${digits}%`}` : sql<boolean>`false`);
  }
  if (filter.connected) {
    const heard = new Date(options.now.getTime() - options.timeoutHours * 3_600_000);
    const connected = sql<boolean>`(sensor.is_connected or coalesce(sensor.last_contact_at > ${heard}, false))`;
    all.push(filter.connected === "connected" ? connected : sql<boolean>`not ${connected}`);
  }
  return all;
}

/** True when nothing narrows the view but the scope: then the total is known without counting. */
export function isUnfiltered(filter: SensorFilter): boolean {
  return Object.values(filter).every((value) => value === undefined);
}

/** Columns of a sensor that the wire needs; the rest would only be parsed and thrown away. */
const wireColumns = sql.raw(
  `id num owner_id owner_path type location_id firmware_id firmware_running_id running_version info groups claimable
   claiming_code license_monitoring monitoring_config con_at discon_at last_contact_at is_connected not_responding
   psconnect vpn rest_username update_task install_state is_deleted version`
    .split(/\s+/)
    .map((column) => `s.${column}`)
    .join(", "),
);

/** Everything a row on the wire needs, flat; what hangs on it is joined after the page is cut. */
function rowQuery(caller: Caller, page: Expression<unknown>) {
  return sql<SensorRow>`
    select ${wireColumns}, o.name as owner_name, o.is_deleted as owner_is_deleted, o.last_seen_at as owner_last_seen_at,
      ${ownerIn(editSet(caller, "sensor"), caller, { id: "s.owner_id", path: "s.owner_path" })} as may_edit,
      l.name as location_name, l.is_deleted as location_is_deleted, l.timezone as location_timezone,
      ${ownerIn(viewSet(caller, "measurement"), caller, { id: "l.owner_id", path: "l.owner_path" })} as sees_location,
      f.name as firmware_name, f.type as firmware_type, f.is_deleted as firmware_is_deleted, ${visibleFirmware(caller, "f")} as sees_firmware,
      r.name as running_name, r.type as running_type, r.is_deleted as running_is_deleted, ${visibleFirmware(caller, "r")} as sees_running
    from (${page}) s
    join account o on o.id = s.owner_id
    left join location l on l.id = s.location_id
    left join firmware f on f.id = s.firmware_id
    left join firmware r on r.id = s.firmware_running_id`;
}

/** What hangs on a sensor, and whether this viewer may see it. */
type Joined = {
  location_name: string | null;
  location_is_deleted: boolean | null;
  location_timezone: string | null;
  sees_location: boolean | null;
  firmware_name: string | null;
  firmware_type: string | null;
  firmware_is_deleted: boolean | null;
  sees_firmware: boolean | null;
  running_name: string | null;
  running_type: string | null;
  running_is_deleted: boolean | null;
  sees_running: boolean | null;
};
export type SensorRow = Joined & {
  id: string;
  num: number;
  owner_id: string;
  owner_path: string;
  owner_name: string;
  owner_is_deleted: boolean;
  owner_last_seen_at: Date | null;
  type: string;
  location_id: string | null;
  firmware_id: string | null;
  firmware_running_id: string | null;
  running_version: string | null;
  info: Record<string, unknown> | null;
  groups: string[];
  claimable: boolean;
  claiming_code: string | null;
  license_monitoring: boolean;
  monitoring_config: unknown;
  con_at: Date | null;
  discon_at: Date | null;
  last_contact_at: Date | null;
  is_connected: boolean;
  not_responding: boolean;
  psconnect: { connectionStatus: string; statusChangedAt: string | null } | null;
  vpn: Record<string, unknown> | null;
  rest_username: string | null;
  update_task: Record<string, unknown> | null;
  install_state: { ok: boolean; state: string } | null;
  is_deleted: boolean;
  version: number;
  may_edit: boolean;
};

/** `order by` of the list; the id at the end makes pages stable. */
function orderOf(sort: SortKey[]) {
  const keys = sort.length > 0 ? sort : [{ field: "_id", descending: false }];
  const parts = keys.map(({ field, descending }) => {
    const column = field === "type" ? "sensor.type" : "sensor.id";
    return sql`${sql.ref(column)} ${sql.raw(descending ? "desc" : "asc")}`;
  });
  if (!keys.some((key) => key.field === "_id")) parts.push(sql`sensor.id asc`);
  return sql.join(parts, sql`, `);
}

/** One page of rows. Deep pages walk the index by ids only and fetch full rows for the page alone. */
export async function findSensorPage(
  db: Reader,
  caller: Caller,
  conditions: Expression<SqlBool>[],
  page: { sort: SortKey[]; skip: number; limit: number; after?: string | undefined },
): Promise<SensorRow[]> {
  const all = page.after ? [...conditions, sql<boolean>`sensor.id > ${page.after}`] : conditions;
  const order = orderOf(page.sort);
  const ids = sql`select sensor.id from sensor where ${conjunction(all)} order by ${order} limit ${page.limit} offset ${page.skip}`;
  const cut =
    page.skip > 1000
      ? sql`select sensor.* from sensor where sensor.id in (${ids})`
      : sql`select sensor.* from sensor where ${conjunction(all)} order by ${order} limit ${page.limit} offset ${page.skip}`;
  const outer = sql.raw(
    (page.sort.length > 0 ? page.sort : [{ field: "_id", descending: false }])
      .map(({ field, descending }) => `s.${field === "type" ? "type" : "id"} ${descending ? "desc" : "asc"}`)
      .concat("s.id asc")
      .join(", "),
  );
  const { rows } = await sql<SensorRow>`${rowQuery(caller, cut)} order by ${outer}`.execute(db);
  return rows;
}

/** The exact number of rows; straight from the counters when only the scope narrows the view. */
export async function countSensors(
  db: Reader,
  caller: Caller,
  conditions: Expression<SqlBool>[],
  unfiltered: boolean,
): Promise<number> {
  if (unfiltered) return countOwned(db, caller, "sensor", viewSet(caller, "sensor"));
  return countRows(db, "sensor", conditions);
}

/** All ids as one JSON text made by PostgreSQL: a million of them never become objects here. */
export async function sensorIdsJson(db: Reader, conditions: Expression<SqlBool>[]): Promise<string> {
  return idsJson(db, "sensor", conditions);
}

/** One visible sensor, or null. */
export async function findSensor(db: Reader, caller: Caller, id: string): Promise<SensorRow | null> {
  const visible = ownerIn(viewSet(caller, "sensor"), caller, columns);
  const page = sql`select sensor.* from sensor where sensor.id = ${id} and not sensor.is_deleted and ${visible}`;
  const { rows } = await rowQuery(caller, page).execute(db);
  return rows[0] ?? null;
}

/** Rows by id whatever their owner; for the live hub, which asks about rights itself. */
export async function findSensorsForLive(db: Reader, ids: string[]) {
  return db
    .selectFrom("sensor as s")
    .innerJoin("account as o", "o.id", "s.owner_id")
    .leftJoin("location as l", "l.id", "s.location_id")
    .leftJoin("firmware as f", "f.id", "s.firmware_id")
    .leftJoin("firmware as r", "r.id", "s.firmware_running_id")
    .where("s.id", "in", ids)
    .where("s.is_deleted", "=", false)
    .selectAll("s")
    .select([
      "o.name as owner_name",
      "o.is_deleted as owner_is_deleted",
      "o.last_seen_at as owner_last_seen_at",
      "l.name as location_name",
      "l.is_deleted as location_is_deleted",
      "l.timezone as location_timezone",
      "l.owner_id as location_owner_id",
      "f.name as firmware_name",
      "f.type as firmware_type",
      "f.is_deleted as firmware_is_deleted",
      "f.owner_id as firmware_owner_id",
      "f.children_can_view as firmware_children",
      "r.name as running_name",
      "r.type as running_type",
      "r.is_deleted as running_is_deleted",
      "r.owner_id as running_owner_id",
      "r.children_can_view as running_children",
    ])
    .execute();
}

export async function insertSensor(
  tx: Tx,
  values: { id: string; owner_id: string; owner_path: string; type: string },
): Promise<boolean> {
  const row = await tx
    .insertInto("sensor")
    .values(values)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Locks a visible sensor for a change and answers it, or null. */
export async function lockSensor(tx: Tx, caller: Caller, id: string) {
  return tx
    .selectFrom("sensor")
    .selectAll()
    .where("id", "=", id)
    .where("is_deleted", "=", false)
    .where(ownerIn(viewSet(caller, "sensor"), caller, columns))
    .forUpdate()
    .executeTakeFirst();
}

export async function wasEverAssigned(tx: Tx, sensorNum: number): Promise<boolean> {
  const row = await tx
    .selectFrom("sensor_location")
    .select("sensor_num")
    .where("sensor_num", "=", sensorNum)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Notes from when on a sensor belongs to a location; the open assignment before it ends there. */
export async function recordAssignment(tx: Tx, sensorNum: number, locationId: string | null, at: Date): Promise<void> {
  await tx
    .updateTable("sensor_location")
    .set({ to_at: at })
    .where("sensor_num", "=", sensorNum)
    .where("to_at", "=", sql<Date>`'infinity'`)
    .execute();
  if (locationId === null) return;
  await tx
    .insertInto("sensor_location")
    .values({ sensor_num: sensorNum, from_at: at, location_id: locationId })
    .onConflict((conflict) =>
      conflict.columns(["sensor_num", "from_at"]).doUpdateSet({ location_id: locationId, to_at: sql`'infinity'` }),
    )
    .execute();
}
