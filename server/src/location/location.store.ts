// Queries for locations.
import type { locationListQuery } from "@psp/contract/location/location.query.ts";
import type { OpenIssueStatus } from "@psp/contract/monitoring/issue-words.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import { resolveViewScope } from "@psp/contract/permission/can.ts";
import { type Expression, type Selectable, sql } from "kysely";
import type { z } from "zod";
import type { OwnerColumns } from "../owned/owner.ts";
import type { Caller } from "../kit/caller.ts";
import { hasKey, type Reader, runByKey } from "../db/database.ts";
import {
  nameSortKeys,
  type Condition,
  conjunction,
  containsName,
  containsPattern,
  countRows,
  type PageSlice,
  limitClause,
  orderBy,
} from "../db/list.ts";
import { visibleByOwner, ownedConditions, ownerColumns } from "../owned/owned.store.ts";
import { isOwnedInTree } from "../owned/subtree.rights.ts";
import { countOwnedObjects } from "../db/owned-count.ts";
import type { Tables } from "../db/tables.ts";
import { hoursColumns, type HoursKeys } from "../db/applied-hours.ts";
import { whereViewable } from "../db/visible.ts";
import { isInContact } from "../sensor/sensor.rights.ts";
import { normalizeCountryName, type StoredPlace } from "./location.place.rules.ts";

export type LocationFilter = Pick<
  z.output<typeof locationListQuery>,
  "ids" | "name" | "tag" | "tagAny" | "ownerID" | "ownerTreeID" | "country" | "occupancy"
>;

/** Only the columns that the API shows. */
const wireColumns = [
  "id",
  "owner_id",
  "name",
  "lat",
  "lng",
  "timezone",
  "address",
  "country",
  "tags",
  "opening_hours",
  "external_id",
  "applications",
  "monitoring_config",
  "license_buildings",
  "license_occupancy",
  "is_deleted",
  "version",
] as const satisfies (keyof Tables["location"])[];
const shown = sql.join(wireColumns.map((column) => sql.ref(`location.${column}`)));

export type LocationRow = OwnerColumns &
  Pick<Selectable<Tables["location"]>, (typeof wireColumns)[number]> & {
    sensor_count: number;
    sensors_offline: number;
    has_logs: boolean;
    issue_status: OpenIssueStatus | null;
  };

export const locationTable = { table: "location", sees: visibleByOwner("location", "measurement") } as const;

const sortable = {
  name: nameSortKeys("location"),
  owner: nameSortKeys("owner"),
  country: [sql.ref("location.country")],
  createdAt: [sql.ref("location.created_at")],
  _id: [sql.ref("location.id")],
};

/** The first condition lets the query use the partial index. */
const hasTagLike = (pattern: Expression<unknown>) =>
  sql<boolean>`(location.tags <> '{}' and location.tags_search like ${pattern})`;
const hasExternalIdLike = (pattern: Expression<unknown>) =>
  sql<boolean>`(location.external_id is not null and searched_text(location.external_id) like ${pattern})`;
/** Stored tags are separated by line breaks. */
const wholeTag = (tag: string) => containsPattern(tag, "\n");

export function locationConditions(caller: Caller, filter: LocationFilter, includeDeleted?: boolean): Condition[] {
  const { name, tag = [], tagAny, ownerTreeID, ...owned } = filter;
  const all = ownedConditions(locationTable, caller, owned, includeDeleted);
  if (ownerTreeID !== undefined) all.push(isOwnedInTree(caller, "location", ownerTreeID));
  if (name) {
    const pattern = containsPattern(name);
    const others = sql`${hasTagLike(pattern)} or ${hasExternalIdLike(pattern)}`;
    all.push(sql<boolean>`(${containsName("location", name)} or ${others})`);
  }
  all.push(...tag.map((one) => hasTagLike(wholeTag(one))));
  if (tagAny)
    all.push(
      sql<boolean>`(${sql.join(
        tagAny.map((one) => hasTagLike(wholeTag(one))),
        sql` or `,
      )})`,
    );
  if (filter.country) {
    const names = filter.country.map((name) => normalizeCountryName(name).toLowerCase());
    all.push(sql<boolean>`lower(location.country) = any(${names}::text[])`);
  }
  if (filter.occupancy !== undefined) all.push(sql<boolean>`location.license_occupancy = ${filter.occupancy}`);
  return all;
}

/** A subquery of the ids of locations in the caller's view that have all these tags. */
export const taggedLocations = (caller: Caller, tag: string[]) =>
  sql`(select location.id from location where ${conjunction(locationConditions(caller, { tag }))})`;

/** Worst open issue of sensor `s`; `min` works because "Error" sorts before "Warning". */
const worstIssue = sql`(select min(i.issue_status) from sensor_issue i where i.sensor_num = s.num)`;

const hasLogs = sql`exists (select from monitoring_status m where m.location_id = location.id) as has_logs`;

/** Joins owner and sensors only for the rows of the page. Sensors not heard since `since` count as offline. */
function rowQuery(caller: Caller, since: Date, page: Expression<unknown>) {
  return sql<LocationRow>`
    select ${shown}, ${ownerColumns}, here.*, ${hasLogs}
    from (${page}) location join account owner on owner.id = location.owner_id
    cross join lateral (
      select count(*) as sensor_count, count(*) filter (where not ${isInContact(since, "s")}) as sensors_offline,
        min(${worstIssue}) as issue_status
      from sensor s where s.location_id = location.id and not s.is_deleted and ${whereViewable(caller, "sensor", "s")}) here`;
}

export async function findLocationPage(
  db: Reader,
  caller: Caller,
  conditions: Condition[],
  sort: SortKey[],
  part: PageSlice,
  since: Date,
): Promise<LocationRow[]> {
  const order = orderBy(sort.length > 0 ? sort : [{ field: "name", descending: false }], sortable, "location.id");
  const byOwner = sort.some(({ field }) => field === "owner");
  const owner = byOwner ? sql`join account owner on owner.id = location.owner_id` : sql``;
  const page = sql`select location.* from location ${owner} where ${conjunction(conditions)} order by ${order} ${limitClause(part)}`;
  const { rows } = await sql<LocationRow>`${rowQuery(caller, since, page)} order by ${order}`.execute(db);
  return rows;
}

/** Exact number of rows. `unfiltered`: only the view scope restricts the list, so the stored counters are used. */
export async function countLocations(db: Reader, caller: Caller, conditions: Condition[], unfiltered: boolean) {
  if (unfiltered) return countOwnedObjects(db, caller, ["location"], resolveViewScope(caller, "measurement"));
  return countRows(db, "location", conditions);
}

export type NamedLocation = HoursKeys & {
  id: string;
  name: string;
  timezone: string | null;
  ownerId: string;
  ownerName: string;
};

export async function findLocationNames(db: Reader, conditions: Condition[], after: string | null, limit: number) {
  const behind = after === null ? [] : [sql<boolean>`location.id > ${after}`];
  const { rows } = await sql<NamedLocation>`
    select location.id, location.name, location.timezone, location.owner_id as "ownerId", owner.name as "ownerName",
      ${hoursColumns("location", "owner")}
    from location join account owner on owner.id = location.owner_id
    where ${conjunction([...conditions, ...behind])} order by location.id limit ${limit}`.execute(db);
  return rows;
}

export async function findPositions(db: Reader, conditions: Condition[]): Promise<(StoredPlace & { id: string })[]> {
  const { rows } = await sql<StoredPlace & { id: string }>`
    select id, lat, lng, timezone, address, country from location
      where ${conjunction(conditions)} order by id`.execute(db);
  return rows;
}

/** Returns a function that gives each of these tags its key. Tags with the same key differ only in case and accents. */
export async function findTagKeys(db: Reader, tags: Iterable<string>): Promise<(tag: string) => string> {
  const distinct = [...new Set(tags)];
  if (distinct.length < 2) return (tag) => tag;
  const { rows } = await sql<{ tag: string; key: string }>`
    select tag, searched_text(tag) as key from unnest(${distinct}::text[]) tag`.execute(db);
  const keys = new Map(rows.map(({ tag, key }) => [tag, key]));
  return (tag) => keys.get(tag) ?? tag;
}

export async function countTags(
  db: Reader,
  caller: Caller,
  part: PageSlice,
): Promise<{ tag: string; count: number }[]> {
  const conditions = conjunction([...locationConditions(caller, {}), sql<boolean>`location.tags <> '{}'`]);
  const { rows } = await sql<{ tag: string; count: number }>`
    select min(tag) as tag, count(distinct location.id) as count
    from location, unnest(location.tags) as tag where ${conditions}
    group by searched_text(tag) order by count desc, searched_text(tag) ${limitClause(part)}`.execute(db);
  return rows;
}

export async function countByOccupancyLicense(db: Reader, caller: Caller): Promise<{ licensed: boolean; n: number }[]> {
  const { rows } = await sql<{ licensed: boolean; n: number }>`
    select license_occupancy as licensed, count(*) as n from location
    where ${conjunction(locationConditions(caller, {}))} group by 1 order by 1 desc`.execute(db);
  return rows;
}

export async function findLocation(db: Reader, caller: Caller, id: string, since: Date): Promise<LocationRow | null> {
  const page = sql`select location.* from location where location.id = ${id} and ${conjunction(locationConditions(caller, {}))}`;
  return (await runByKey(db, "location_by_id", rowQuery(caller, since, page)))[0] ?? null;
}

/**
 * Does not check rights, because the live hub does. `sensor_owners`: for each owner of sensors at the location, how many there are,
 * how many of them are offline, and their worst issue.
 */
export async function findLocationsForLive(db: Reader, ids: string[], since: Date) {
  type Row = LocationRow & {
    sensor_owners: { id: string; n: number; offline: number; issue: OpenIssueStatus | null }[];
  };
  const query = sql<Row>`
    select ${shown}, ${ownerColumns}, ${hasLogs},
      coalesce((select jsonb_agg(jsonb_build_object('id', s.owner_id, 'n', s.n, 'offline', s.offline, 'issue', s.issue)) from
        (select owner_id, count(*) as n, count(*) filter (where not ${isInContact(since, "s")}) as offline, min(${worstIssue}) as issue from sensor s where location_id = location.id and not is_deleted group by 1) s),
        '[]') as sensor_owners
    from location join account owner on owner.id = location.owner_id
    where ${hasKey("location.id", "uuid", ids)} and not location.is_deleted`;
  return runByKey(db, "locations_for_live", query);
}
