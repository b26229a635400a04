// Queries for sensors.
import type { sensorFilter } from "@psp/contract/sensor/sensor.query.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { parseMac } from "@psp/contract/kit/mac.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import { resolveViewScope } from "@psp/contract/permission/can.ts";
import { type Expression, type Insertable, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import type { z } from "zod";
import type { Caller } from "../kit/caller.ts";
import { type Database, hasKey, type Reader, runByKey, type Tx } from "../db/database.ts";
import { conjunction, countRows, oneOf } from "../db/list.ts";
import { type CountedKind, countOwnedObjects, ownedCountQuery, estimateSize } from "../db/owned-count.ts";
import type { Tables } from "../db/tables.ts";
import { coversEverything, whereOwnerIn, whereViewable } from "../db/visible.ts";
import { whereFirmwareVisible } from "../firmware/firmware.rights.ts";
import { isOwnedInTree } from "../owned/subtree.rights.ts";
import { isAcknowledged, openIssueTables, readableIssues } from "./open-issue.rights.ts";
import { isOutdated } from "./outdated.rights.ts";
import { computeContactCutoff, isInContact, isOutOfContact } from "./sensor.rights.ts";

type SensorFilter = { [K in keyof typeof sensorFilter]?: z.output<(typeof sensorFilter)[K]> };

/** Conditions of the list: the view scope, no deleted sensors unless requested, and all given filters. */
export function sensorConditions(
  caller: Caller,
  filter: SensorFilter,
  options: { includeDeleted?: boolean | undefined; now: Date; timeoutHours: number },
): Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = [whereViewable(caller, "sensor", "sensor")];
  if (!options.includeDeleted) all.push(sql<boolean>`not sensor.is_deleted`);
  const { ids, sensorType, ownerID, artifactRunningID, infoSoftwareFirmwareVersion: versions, measID } = filter;
  const macs = ids?.map((id) => parseMac(id) ?? id);
  if (macs) all.push(oneOf("sensor.id", macs, "text"));
  if (sensorType) all.push(oneOf("sensor.type", sensorType, "text"));
  if (ownerID) all.push(oneOf("sensor.owner_id", filterUuids(ownerID), "uuid"));
  if (filter.ownerTreeID !== undefined) all.push(isOwnedInTree(caller, "sensor", filter.ownerTreeID));
  if (filter.outdated !== undefined) all.push(isOutdated(caller, filter.outdated));
  if (filter.artifactID)
    all.push(...seenAmong(caller, "sensor.rollout_id", "firmware", filterUuids(filter.artifactID)));
  if (artifactRunningID)
    all.push(...seenAmong(caller, "sensor.firmware_running_id", "firmware", filterUuids(artifactRunningID)));
  if (versions) all.push(oneOf("sensor.running_version", versions, "text"));
  if (measID) all.push(...seenAmong(caller, "sensor.location_id", "location", filterUuids(measID)));
  if (filter.hasLocation !== undefined) all.push(hasVisibleLocation(caller, filter.hasLocation));
  if (filter.claimable) all.push(sql<boolean>`sensor.claimable = ${filter.claimable === "enabled"}`);
  if (filter.groups) all.push(sql<boolean>`(sensor.groups && ${filter.groups}::text[] and sensor.groups <> '{}')`);
  if (filter.sensorID) {
    const digits = filter.sensorID.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
    all.push(digits ? sql<boolean>`sensor.wire_id like ${`%${digits}%`}` : sql<boolean>`false`);
  }
  if (filter.connected) {
    const contact = isInContact(computeContactCutoff(options.now, options.timeoutHours));
    const silent = sql`(sensor.is_connected and sensor.not_responding)`;
    const states = {
      connected: sql<boolean>`(${contact} and not ${silent})`,
      notResponding: sql<boolean>`${silent}`,
      // The first condition matches the index.
      disconnected: sql<boolean>`(not sensor.is_connected and not ${contact})`,
    };
    all.push(states[filter.connected]);
  }
  if (filter.installation) all.push(oneOf("sensor.installation", filter.installation, "text"));
  if (filter.lastContact) {
    const words = [...new Set(filter.lastContact)].map((word) => isOutOfContact(word, options.now));
    all.push(sql<boolean>`(${sql.join(words, sql` or `)})`);
  }
  if (filter.issueStatus !== undefined || filter.acknowledged !== undefined) all.push(hasOpenIssue(caller, filter));
  if (filter.monitored !== undefined) all.push(sql<boolean>`sensor.license_monitoring = ${filter.monitored}`);
  return all;
}

/** Matches ids of objects that the caller may view. Invisible ids match nothing, like unknown ones, so that a filter reveals nothing. */
function seenAmong(caller: Caller, column: string, table: "firmware" | "location", ids: string[]) {
  const named = oneOf(column, ids, "uuid");
  if (coversEverything(resolveViewScope(caller, table === "firmware" ? "artifact" : "measurement"), caller))
    return [named];
  const isVisible =
    table === "firmware" ? whereFirmwareVisible(caller, "firmware") : whereViewable(caller, "measurement", "location");
  const seen = sql`array(select id from ${sql.table(table)} where id = any(${ids}::uuid[]) and ${isVisible})`;
  return [named, sql<boolean>`${sql.ref(column)} = any(${seen})`];
}

function hasVisibleLocation(caller: Caller, wanted: boolean): Expression<SqlBool> {
  const scope = resolveViewScope(caller, "measurement");
  const owner = { id: "location.owner_id", path: "location.owner_path" };
  const placed = coversEverything(scope, caller)
    ? sql`sensor.location_id is not null`
    : sql`exists (select from location where location.id = sensor.location_id and ${whereOwnerIn(scope, caller, owner)})`;
  return wanted ? sql<boolean>`(${placed})` : sql<boolean>`(not ${placed})`;
}

function hasOpenIssue(caller: Caller, { issueStatus, acknowledged }: SensorFilter): Expression<SqlBool> {
  const fits = [whereViewable(caller, "sensor", "s"), readableIssues(caller)];
  if (issueStatus) fits.push(oneOf("m.issue_status", issueStatus, "text"));
  if (acknowledged !== undefined) fits.push(isAcknowledged(acknowledged));
  return sql<boolean>`sensor.num = any(array(select i.sensor_num from ${openIssueTables} where ${conjunction(fits)}))`;
}

/** The counters whose sum is the total. Null if the filter contains anything but types. */
export function toCountedKinds({ sensorType, ...others }: SensorFilter): readonly CountedKind[] | null {
  if (Object.values(others).some((value) => value !== undefined)) return null;
  return sensorType?.map((type): CountedKind => `sensor ${type}`) ?? ["sensor"];
}

/** Whether monitoring has log entries since the sensor came to its present owner. */
const hasLogs = `exists (select from monitoring_status m
  where m.sensor_num = sensor.num and to_timestamp(m.start_ms / 1000.0) >= sensor.visible_from) as has_logs`;

/**
 * Status of the worst open issue; most sensors have none. An aggregate, because it uses the index for each row.
 * `findReferences` loads the issues themselves.
 */
const worstIssue = `(select min(i.issue_status) from sensor_issue i where i.sensor_num = sensor.num) as issue_status`;

/** Only the columns that the API shows; parsing all would be slow. */
const wireColumnNames = [
  ...`id num owner_id owner_path type location_id firmware_id firmware_running_id running_version info groups claimable
   claiming_code license_monitoring monitoring_config con_at discon_at last_contact_at is_connected not_responding
   psconnect vpn rest_username update_task install_state replaced_by replaces is_deleted version`
    .split(/\s+/)
    .map((column) => `sensor.${column}`),
  hasLogs,
  worstIssue,
];
const wireColumns = sql.raw(wireColumnNames.join(", "));

export type SensorRow = Omit<
  Selectable<Tables["sensor"]>,
  | (
      | "wire_id"
      | "awaited_since"
      | "installation"
      | "silent_since"
      | "never_connected"
      | "rollout_id"
      | "visible_from"
      | "rest_password_sealed"
      | "owner_mark"
      | "firmware_mark"
    )
  | ("created_at" | "updated_at")
> & { has_logs: boolean; issue_status: string | null };

export type TrailedSensor = Pick<
  SensorRow,
  | ("owner_id" | "type" | "location_id" | "firmware_id")
  | ("groups" | "claimable" | "license_monitoring" | "rest_username" | "monitoring_config")
>;

/** Sorts by id last, so that pages are stable. */
function orderOf(sort: SortKey[], fromEnd = false) {
  const keys = [...sort, ...(sort.some((key) => key.field === "_id") ? [] : [{ field: "_id", descending: false }])];
  const parts = keys.map(({ field, descending }) => {
    const rises = descending === fromEnd;
    // In ascending order, sensors that were never in contact come first.
    if (field === "lastContactAt")
      return sql`sensor.last_contact_at ${sql.raw(rises ? "asc nulls first" : "desc nulls last")}`;
    const column = field === "type" ? "sensor.type" : "sensor.id";
    return sql`${sql.ref(column)} ${sql.raw(rises ? "asc" : "desc")}`;
  });
  return sql.join(parts, sql`, `);
}

export type SensorPageRequest = { sort: SortKey[]; skip: number; limit: number; after?: string | undefined };

/**
 * How the page is found (ADR 0014). `walk` follows the index in order. `gather` first collects the whole view, whose
 * size bounds the cost. `fromEnd` follows the index from the other end, if only the scope restricts the view.
 */
export type SensorPlan = "walk" | "gather" | "fromEnd";

/** Deep pages first look for ids only, then load the rows of the page. */
export async function findSensorPage(
  db: Reader,
  caller: Caller,
  conditions: Expression<SqlBool>[],
  { sort, skip, limit, after }: SensorPageRequest,
  plan: SensorPlan,
): Promise<SensorRow[]> {
  const where = conjunction(after ? [...conditions, sql<boolean>`sensor.id > ${after}`] : conditions);
  const order = orderOf(sort);
  const part = sql`order by ${order} limit ${limit} offset ${skip}`;
  const plans: Record<SensorPlan, RawBuilder<unknown>> = {
    walk: sql`select sensor.id from sensor where ${where} ${part}`,
    // `offset 0` keeps the planner from walking the whole fleet in order.
    gather: sql`select sensor.id from (select id, type, last_contact_at from sensor where ${where} offset 0) as sensor ${part}`,
    // The total is counted in the same snapshot, so that the page from the end equals the page from the start.
    fromEnd: sql`select sensor.id from sensor where ${where} order by ${orderOf(sort, true)}
      limit (select greatest(0, least(${limit}, n - ${skip})) from total)
      offset (select greatest(0, n - ${skip} - ${limit}) from total)`,
  };
  const counted = sql`with total as materialized (${ownedCountQuery(caller, ["sensor"], resolveViewScope(caller, "sensor"))})`;
  const rows =
    plan === "walk" && skip <= 1000
      ? sql<SensorRow>`select ${wireColumns} from sensor where ${where} ${part}`
      : sql<SensorRow>`${plan === "fromEnd" ? counted : sql``}
          select ${wireColumns} from sensor where id = any(array(${plans[plan]})) order by ${order}`;
  return (await rows.execute(db)).rows;
}

/** Chooses by the size of the view. The size may be a minute old, because every plan returns the same page. */
export async function choosePlan(
  db: Database,
  now: number,
  caller: Caller,
  { skip, after }: SensorPageRequest,
  unfiltered: boolean,
): Promise<SensorPlan> {
  const set = resolveViewScope(caller, "sensor");
  const deep = unfiltered && skip > 1000 && after === undefined;
  if (coversEverything(set, caller) && !deep) return "walk";
  const size = await estimateSize(db, now, caller, "sensor", set);
  // This view is so big that walking the fleet may be slow, but small enough to be collected.
  if (!coversEverything(set, caller) && size > 2_000 && size <= 50_000) return "gather";
  return deep && skip > size / 2 ? "fromEnd" : "walk";
}

export async function countSensors(
  db: Reader,
  caller: Caller,
  conditions: Expression<SqlBool>[],
  counted: readonly CountedKind[] | null,
): Promise<number> {
  if (counted !== null) return countOwnedObjects(db, caller, counted, resolveViewScope(caller, "sensor"));
  return countRows(db, "sensor", conditions);
}

export async function findSensor(db: Reader, caller: Caller, id: string): Promise<SensorRow | null> {
  const visible = whereViewable(caller, "sensor", "sensor");
  const query = sql<SensorRow>`
    select ${wireColumns} from sensor where id = ${id} and not is_deleted and ${visible}`;
  return (await runByKey(db, "sensor_by_id", query))[0] ?? null;
}

/** Ignores rights: the live hub checks them itself. */
export async function findSensorsForLive(db: Reader, ids: readonly string[]): Promise<readonly SensorRow[]> {
  const query = sql<SensorRow>`select ${wireColumns} from sensor where ${hasKey("id", "text", ids)} and not is_deleted`;
  return runByKey(db, "sensors_by_id", query);
}

export async function insertSensor(tx: Tx, values: Insertable<Tables["sensor"]>): Promise<boolean> {
  const row = await tx
    .insertInto("sensor")
    .values(values)
    // Applies to any unique index, because the id is in two of them and either may conflict first.
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}
