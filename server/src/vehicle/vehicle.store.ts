// Queries for vehicles: pages, coaches of given vehicles, and their load by quarter hour.
import { levelLifetimeMs, outOfServiceAfterMs, type VehicleState } from "@psp/contract/vehicle/vehicle-states.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import { type RawBuilder, sql } from "kysely";
import type { Reader } from "../db/database.ts";
import { type Condition, conjunction, containsText, oneOf, orderBy, type PageSlice } from "../db/list.ts";
import { whereViewable } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";
import { type CoachRow, coachColumns, isSwitchedOff } from "../feed/coach.rights.ts";
import type { OwnerColumns } from "../owned/owner.ts";
import { ownerColumns } from "../owned/owned.store.ts";

export type VehicleFilter = {
  vehicleID?: string | undefined;
  line?: string | undefined;
  state?: VehicleState[] | undefined;
  ownerID?: string[] | undefined;
};
export type VehicleKey = { ownerId: string; vehicleId: string };
export type VehicleRow = OwnerColumns & { vehicle_id: string; line: string | null };

/** A vehicle's line is the group of its sensors that starts with "Line ". */
const lineOf = sql`case when s.groups <> '{}' then
  (select min(substring(g from 6)) from unnest(s.groups) g where g ~ '^Line \\S') end`;

/** Sensors `s` with coach `c` that the caller may view and that match the filters which need no level. */
function visibleCoaches(caller: Caller, { ownerID, vehicleID }: VehicleFilter, only: Condition): RawBuilder<unknown> {
  const all: Condition[] = [
    sql<boolean>`s.type = 'ZOD' and not s.is_deleted`,
    whereViewable(caller, "sensor", "s"),
    only,
  ];
  if (ownerID) all.push(oneOf("s.owner_id", filterUuids(ownerID), "uuid"));
  if (vehicleID) all.push(containsText("c.vehicle_id", vehicleID));
  return conjunction(all);
}

const each = sql<boolean>`true`;

/**
 * Visible vehicles that match, from columns only. The rules are the same as in `vehicle.rules.ts` of the feed: a position without a
 * sensor, or a coach whose load is unknown, makes the load of the vehicle unknown.
 */
function vehicles(caller: Caller, filter: VehicleFilter, nowMs: number, only: Condition = each) {
  const isFresh = sql<boolean>`coalesce(l.at > ${new Date(nowMs - levelLifetimeMs)}, false)`;
  const isOff = sql`(${isSwitchedOff(new Date(nowMs - outOfServiceAfterMs))} and not ${isFresh})`;
  const grouped: Condition[] = [];
  if (filter.line) grouped.push(containsText("v.line", filter.line));
  if (filter.state) grouped.push(oneOf("v.state", filter.state, "text"));
  return sql`
    select * from (
      select t.*, t.persons * 100.0 / nullif(t.places, 0) as percent, case when t.persons = 0 then 'empty'
        when t.persons > 0 then 'occupied' when t.is_off then 'outOfService' else 'unknown' end as state
      from (
        select owner_id, vehicle_id, max(at) as at, bool_and(is_off) as is_off, sum(places) as places,
          case when count(*) = count(persons) and count(distinct sequence) = max(sequence) then sum(persons) end as persons,
          case when min(line) = max(line) then min(line) end as line
        from (
          select s.owner_id, c.vehicle_id, c.sequence, l.at, ${isOff} as is_off, c.seats + c.standing as places,
            case when ${isFresh} then l.persons end as persons, ${lineOf} as line
          from sensor s join coach c on c.sensor_num = s.num
          left join vehicle_level l on l.sensor_num = s.num and l.at >= s.visible_from
          where ${visibleCoaches(caller, filter, only)}
        ) one group by owner_id, vehicle_id
      ) t
    ) v where ${conjunction(grouped)}`;
}

const sortable = {
  vehicleId: [sql.ref("v.vehicle_id")],
  line: [sql.ref("v.line")],
  state: [sql.ref("v.state")],
  percent: [sql.ref("v.percent")],
  at: [sql.ref("v.at")],
};

const byVehicle: SortKey = { field: "vehicleId", descending: false };

function pageOf(
  found: RawBuilder<unknown>,
  sort: readonly SortKey[],
  { skip, limit }: PageSlice,
): RawBuilder<VehicleRow> {
  const order = orderBy([...sort, byVehicle], sortable, "v.owner_id");
  return sql<VehicleRow>`
    select v.vehicle_id, v.line, v.owner_id, ${ownerColumns} from (
      select v.*, row_number() over (order by ${order}) as place from (${found}) v order by place limit ${limit} offset ${skip}
    ) v join account owner on owner.id = v.owner_id order by v.place`;
}

export async function findVehiclePage(
  db: Reader,
  caller: Caller,
  filter: VehicleFilter,
  nowMs: number,
  { sort, ...part }: PageSlice & { sort: readonly SortKey[] },
): Promise<VehicleRow[]> {
  return (await pageOf(vehicles(caller, filter, nowMs), sort, part).execute(db)).rows;
}

export async function countVehicles(db: Reader, caller: Caller, filter: VehicleFilter, nowMs: number): Promise<number> {
  // Without filters by line and state, no levels are read.
  const found =
    filter.line || filter.state
      ? vehicles(caller, filter, nowMs)
      : sql`select from sensor s join coach c on c.sensor_num = s.num where ${visibleCoaches(caller, filter, each)}
          group by s.owner_id, c.vehicle_id`;
  const { rows } = await sql<{ n: number }>`select count(*) as n from (${found}) v`.execute(db);
  return rows[0]?.n ?? 0;
}

export async function findVehicle(
  db: Reader,
  caller: Caller,
  { ownerId, vehicleId }: VehicleKey,
  nowMs: number,
): Promise<VehicleRow | null> {
  const only = sql<boolean>`s.owner_id = ${ownerId}::uuid and c.vehicle_id = ${vehicleId}`;
  const page = pageOf(vehicles(caller, {}, nowMs, only), [], { skip: 0, limit: 1 });
  return (await page.execute(db)).rows[0] ?? null;
}

/** All coaches of these vehicles. All have the vehicle's owner, so a caller who may view one coach may view all. */
export async function findCoachesOf(db: Reader, keys: readonly VehicleKey[], nowMs: number): Promise<CoachRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<CoachRow>`
    select ${coachColumns(new Date(nowMs - outOfServiceAfterMs))}
    from unnest(${keys.map(({ ownerId }) => ownerId)}::uuid[], ${keys.map(({ vehicleId }) => vehicleId)}::text[]) v (owner_id, vehicle_id)
    join coach p on p.vehicle_id = v.vehicle_id
    join sensor s on s.num = p.sensor_num and s.owner_id = v.owner_id
    join sensor_section c on c.sensor_num = s.num and c.section = 'group'
    left join vehicle_level l on l.sensor_num = s.num and l.at >= s.visible_from
    where s.type = 'ZOD' and not s.is_deleted order by s.num`.execute(db);
  return rows;
}

/** The vehicles in which these sensors are. */
export async function findVehiclesOfSensors(db: Reader, sensorIds: readonly string[]): Promise<VehicleKey[]> {
  const { rows } = await sql<VehicleKey>`
    select distinct s.owner_id as "ownerId", c.vehicle_id as "vehicleId" from sensor s join coach c on c.sensor_num = s.num
    where s.id = any(${[...sensorIds]}::text[]) and not s.is_deleted`.execute(db);
  return rows;
}

export type LoadRow = { slot_at: Date; sensor_num: number; sequence: number; persons: number; places: number };

/** Mean load of each coach by quarter hour. Quarters that began before the present owner got the sensor are not included. */
export async function findLoads(
  db: Reader,
  { ownerId, vehicleId }: VehicleKey,
  from: Date,
  to: Date,
): Promise<LoadRow[]> {
  const { rows } = await sql<LoadRow>`
    select h.slot_at, h.sensor_num, h.sequence, h.persons::float8 / h.levels as persons, h.places
    from coach_load h join sensor s on s.num = h.sensor_num
    where h.vehicle_id = ${vehicleId} and h.slot_at >= ${from} and h.slot_at < ${to} and s.owner_id = ${ownerId}::uuid
      and h.slot_at >= s.visible_from and not s.is_deleted
    order by h.slot_at, h.sensor_num`.execute(db);
  return rows;
}

/** Numbers of the sensors that are in this vehicle now. */
export async function findSensorNums(db: Reader, { ownerId, vehicleId }: VehicleKey): Promise<number[]> {
  const { rows } = await sql<{ num: number }>`
    select s.num from coach c join sensor s on s.num = c.sensor_num
    where c.vehicle_id = ${vehicleId} and s.owner_id = ${ownerId}::uuid and not s.is_deleted`.execute(db);
  return rows.map(({ num }) => num);
}
