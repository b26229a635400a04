// Queries for the issue log, open issues, and acknowledging.
import type { SortKey } from "@psp/contract/kit/page.ts";
import {
  type IssueAge,
  type IssueStatus,
  type IssueType,
  type OpenIssueStatus,
  issueSeverity,
} from "@psp/contract/monitoring/issue-words.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { type Expression, sql } from "kysely";
import type { Reader, Tx } from "../../db/database.ts";
import { type Condition, conjunction, type PageSlice, limitClause, oneOf, orderBy } from "../../db/list.ts";
import { whereEditable, whereViewable } from "../../db/visible.ts";
import type { Caller } from "../../kit/caller.ts";
import { ageMs } from "../open-issues/open-issues.store.ts";
import { isAcknowledged, openIssueTables, readableIssues } from "../../sensor/open-issue.rights.ts";

export type IssueFilter = {
  ids?: string[] | undefined;
  measID?: string[] | undefined;
  sensorIDs?: string[] | undefined;
  issueType?: IssueType[] | undefined;
  issueStatus?: IssueStatus[] | undefined;
  acknowledged?: boolean | undefined;
  from?: string | undefined;
  to?: string | undefined;
  ownerID?: string[] | undefined;
  tag?: string[] | undefined;
  olderThan?: IssueAge | undefined;
  exclude?: string[] | undefined;
};

/** `now` is for `olderThan`; `tagged` replaces `tag` by a subquery of location ids. */
export type LogFilter = Omit<IssueFilter, "tag"> & { now: Date; tagged?: Expression<unknown> | undefined };

export type IssueRow = {
  id: string;
  sensorId: string;
  startMs: number;
  endMs: number;
  issueType: IssueType;
  issueStatus: IssueStatus;
  issueMessage: string;
  acknowledgedAt: Date | null;
  /** This and the name are null if the caller may not view the location. */
  locationId: string | null;
  locationName: string | null;
  zone: string | null;
};

const from = sql`monitoring_status m join sensor s on s.num = m.sensor_num and not s.is_deleted
  left join location l on l.id = m.location_id and not l.is_deleted`;

function conditionsOf(caller: Caller, filter: LogFilter): Condition[] {
  const all: Condition[] = [];
  const { ids, measID, sensorIDs, issueType, issueStatus, acknowledged, exclude } = filter;
  if (ids) all.push(oneOf("m.id", filterUuids(ids), "uuid"));
  if (measID) all.push(oneOf("m.location_id", filterUuids(measID), "uuid"), whereViewable(caller, "measurement", "l"));
  if (sensorIDs)
    all.push(sql<boolean>`m.sensor_num = any(array(select num from sensor where id = any(${sensorIDs}::text[])))`);
  if (issueType) all.push(oneOf("m.issue_type", issueType, "text"));
  if (issueStatus) all.push(oneOf("m.issue_status", issueStatus, "text"));
  if (acknowledged !== undefined) all.push(isAcknowledged(acknowledged));
  if (filter.from) all.push(sql<boolean>`m.start_ms >= ${Date.parse(filter.from)}`);
  if (filter.to) all.push(sql<boolean>`m.start_ms < ${Date.parse(filter.to)}`);
  // A location's log may contain sensors whose present owner the caller must not learn.
  if (filter.ownerID)
    all.push(oneOf("s.owner_id", filterUuids(filter.ownerID), "uuid"), whereViewable(caller, "sensor", "s"));
  if (filter.tagged) all.push(sql<boolean>`m.location_id in ${filter.tagged}`);
  if (filter.olderThan) all.push(sql<boolean>`m.start_ms <= ${filter.now.getTime() - ageMs[filter.olderThan]}`);
  if (exclude && exclude.length > 0) all.push(sql<boolean>`not m.id = any(${filterUuids(exclude)}::uuid[])`);
  return [...all, readableIssues(caller)];
}

const rowColumns = (caller: Caller) => sql`m.id, s.id as "sensorId", m.start_ms as "startMs", m.end_ms as "endMs",
  m.issue_type as "issueType", m.issue_status as "issueStatus", m.issue_message as "issueMessage",
  m.acknowledged_at as "acknowledgedAt", case when ${whereViewable(caller, "measurement", "l")} then l.id end as "locationId",
  case when ${whereViewable(caller, "measurement", "l")} then l.name end as "locationName", l.timezone as zone`;

const weight = sql`case m.issue_status when 'Error' then ${sql.lit(issueSeverity.Error)}
  when 'Warning' then ${sql.lit(issueSeverity.Warning)} else ${sql.lit(issueSeverity.Ok)} end`;

const sortable = {
  startUTC: [sql.ref("m.start_ms")],
  issueType: [sql.ref("m.issue_type")],
  issueMessage: [sql.ref("m.issue_message")],
  sens: [sql.ref("s.id")],
  acknowledged: [sql`(m.acknowledged_at is not null)`],
  issueStatus: [weight],
};

const newestFirst: SortKey = { field: "startUTC", descending: true };

export async function findIssuePage(db: Reader, caller: Caller, filter: LogFilter, sort: SortKey[], part: PageSlice) {
  const keys = sort.some(({ field }) => field === "startUTC") ? sort : [...sort, newestFirst];
  const { rows } = await sql<IssueRow>`select ${rowColumns(caller)} from ${from}
    where ${conjunction(conditionsOf(caller, filter))} order by ${orderBy(keys, sortable, "m.id")} ${limitClause(part)}`.execute(
    db,
  );
  return rows;
}

/** Log entries by id, in this order. Does not check rights. */
export async function findIssuesInOrder(db: Reader, caller: Caller, ids: readonly string[]): Promise<IssueRow[]> {
  const { rows } = await sql<IssueRow>`
    select ${rowColumns(caller)} from unnest(${[...ids]}::uuid[]) with ordinality w (id, nth)
    join lateral (select * from monitoring_status where id = w.id) m on true join sensor s on s.num = m.sensor_num
    left join location l on l.id = m.location_id and not l.is_deleted order by w.nth`.execute(db);
  return rows;
}

/** `isFormer`: from before the sensor came to its owner. `hasNewer`: its issue is still open, with a newer entry. */
export type ReadEntry = { id: string; isSensorVisible: boolean; isFormer: boolean; hasNewer: boolean };

/** Those of the log entries that the caller may read. */
export async function findReadableEntries(db: Reader, caller: Caller, ids: readonly string[]): Promise<ReadEntry[]> {
  const known = filterUuids(ids);
  if (known.length === 0) return [];
  const { rows } = await sql<ReadEntry>`
    select m.id, ${whereViewable(caller, "sensor", "s")} as "isSensorVisible",
      to_timestamp(m.start_ms / 1000.0) < s.visible_from as "isFormer",
      exists (select from sensor_issue i where i.sensor_num = m.sensor_num and i.issue_type = m.issue_type
        and i.owner_path is not null and coalesce(i.opened_id, i.status_id) = coalesce(m.opened_id, m.id)) as "hasNewer"
    from ${from} where m.id = any(${known}::uuid[]) and ${readableIssues(caller)}`.execute(db);
  return rows;
}

export async function countIssues(db: Reader, caller: Caller, filter: LogFilter): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from ${from} where ${conjunction(conditionsOf(caller, filter))}`.execute(db);
  return rows[0]?.n ?? 0;
}

export type IssueDetailRow = IssueRow & {
  facts: Record<string, unknown>;
  holds: boolean;
  notMailed: string | null;
  byId: string | null;
  byName: string | null;
};

export async function findIssue(db: Reader, caller: Caller, id: string): Promise<IssueDetailRow | undefined> {
  const reader = whereViewable(caller, "owner", "o");
  const { rows } = await sql<IssueDetailRow>`select ${rowColumns(caller)}, m.facts, m.not_mailed as "notMailed",
      exists (select from sensor_issue i where i.status_id = m.id) as holds,
      case when ${reader} then o.id end as "byId", case when ${reader} then o.name end as "byName"
    from ${from} left join account o on o.id = m.acknowledged_by
    where m.id = ${id} and ${readableIssues(caller)}`.execute(db);
  return rows[0];
}

export type IssueToAcknowledge = {
  id: string;
  sensorId: string;
  ownerId: string;
  ownerPath: string;
  issueStatus: IssueStatus;
  acknowledgedAt: Date | null;
  canEdit: boolean;
};

/** Locks at most `limit` visible matching issues in the global lock order. */
export async function lockIssues(
  tx: Tx,
  caller: Caller,
  filter: LogFilter,
  limit: number,
): Promise<IssueToAcknowledge[]> {
  const edits = whereEditable(caller, "sensor", "s");
  const { rows } = await sql<IssueToAcknowledge>`
    select m.id, s.id as "sensorId", s.owner_id as "ownerId", s.owner_path as "ownerPath", m.issue_status as "issueStatus",
      m.acknowledged_at as "acknowledgedAt", ${edits} as "canEdit"
    from ${from} where ${conjunction(conditionsOf(caller, filter))} order by m.id limit ${limit} for update of m`.execute(
    tx,
  );
  return rows;
}

export async function acknowledge(tx: Tx, ids: readonly string[], at: Date, by: string): Promise<void> {
  if (ids.length === 0) return;
  await sql`update monitoring_status set acknowledged_at = ${at}, acknowledged_by = ${by}
    where id = any(${[...ids]}::uuid[]) and acknowledged_at is null`.execute(tx);
  await sql`
    update sensor_issue i set is_acknowledged = true
    from (select sensor_num, issue_type from sensor_issue where status_id = any(${[...ids]}::uuid[])
      order by sensor_num, issue_type for update) o
    where i.sensor_num = o.sensor_num and i.issue_type = o.issue_type and i.status_id = any(${[...ids]}::uuid[])`.execute(
    tx,
  );
}

/** Finds current states other than Ok, newest first by default. */
export async function findProblems(db: Reader, caller: Caller, sort: SortKey[], part: PageSlice): Promise<IssueRow[]> {
  const { rows } =
    await sql<IssueRow>`select ${rowColumns(caller)} from ${openIssueTables} where ${readableIssues(caller)}
    order by ${orderBy(sort.length > 0 ? sort : [newestFirst], sortable, "m.id")} ${limitClause(part)}`.execute(db);
  return rows;
}

export async function countProblems(db: Reader, caller: Caller): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select count(*) as n from ${openIssueTables} where ${readableIssues(caller)}`.execute(db);
  return rows[0]?.n ?? 0;
}

export async function findEditableProblems(db: Reader, caller: Caller, limit: number): Promise<string[]> {
  const edits = whereEditable(caller, "sensor", "s");
  const { rows } = await sql<{ id: string }>`select m.id from ${openIssueTables}
    where ${readableIssues(caller)} and ${edits} and m.acknowledged_at is null order by m.id limit ${limit}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

export type SensorIssuesRow = {
  sensorId: string;
  locationId: string | null;
  locationName: string | null;
  issues: {
    _id: string;
    issueType: IssueType;
    issueStatus: IssueStatus;
    issueMessage: string;
    startMs: number;
    acknowledgedMs: number | null;
  }[];
  total: number;
  warnings: number;
  errors: number;
};

export async function findSensorsWithIssues(
  db: Reader,
  caller: Caller,
  { withAcknowledged, ascending }: { withAcknowledged: boolean; ascending: boolean },
  part: PageSlice,
): Promise<SensorIssuesRow[]> {
  const fits = [
    whereViewable(caller, "sensor", "s"),
    readableIssues(caller),
    ...(withAcknowledged ? [] : [isAcknowledged(false)]),
  ];
  const { rows } = await sql<SensorIssuesRow>`
    select s.id as "sensorId", p.id as "locationId", p.name as "locationName", g.issues, g.total, g.warnings, g.errors
    from (
      select m.sensor_num, count(*) as n, count(*) over () as total,
        sum(bool_or(m.issue_status = 'Warning')::int) over () as warnings,
        sum(bool_or(m.issue_status = 'Error')::int) over () as errors,
        jsonb_agg(jsonb_build_object('_id', m.id, 'issueType', m.issue_type, 'issueStatus', m.issue_status,
          'issueMessage', m.issue_message, 'startMs', m.start_ms,
          'acknowledgedMs', extract(epoch from m.acknowledged_at) * 1000) order by ${weight} desc, m.start_ms desc) as issues
      from ${openIssueTables} where ${conjunction(fits)} group by m.sensor_num
      order by n ${sql.raw(ascending ? "asc" : "desc")}, m.sensor_num ${limitClause(part)}
    ) g join sensor s on s.num = g.sensor_num
    left join location p on p.id = s.location_id and not p.is_deleted
      and ${whereViewable(caller, "measurement", "p")}
    order by g.n ${sql.raw(ascending ? "asc" : "desc")}, g.sensor_num`.execute(db);
  return rows;
}

const maxPlaces = 10_000;

/** Finds the worst issue of each visible location, over its visible sensors with open issues. */
export async function findLocationsWithIssues(db: Reader, caller: Caller) {
  const { rows } = await sql<{ _id: string; issueStatus: OpenIssueStatus }>`
    select p.id as "_id", min(i.issue_status) as "issueStatus"
    from sensor_issue i join sensor s on s.num = i.sensor_num and not s.is_deleted
    join location p on p.id = s.location_id and not p.is_deleted
    where ${whereViewable(caller, "sensor", "s")}
      and ${whereViewable(caller, "measurement", "p")}
    group by p.id order by p.id limit ${maxPlaces}`.execute(db);
  return rows;
}

export type LiveIssueRow = IssueRow & { owner_id: string; locationOwnerId: string | null };

/** Does not check rights, because the live hub does. */
export async function findIssuesForLive(db: Reader, ids: string[]): Promise<LiveIssueRow[]> {
  const { rows } = await sql<LiveIssueRow>`
    select m.id, s.owner_id, s.id as "sensorId", m.start_ms as "startMs", m.end_ms as "endMs", m.issue_type as "issueType",
      m.issue_status as "issueStatus", m.issue_message as "issueMessage", m.acknowledged_at as "acknowledgedAt",
      l.id as "locationId", l.owner_id as "locationOwnerId", null::text as "locationName", l.timezone as zone
    from ${from} where m.id = any(${ids}::uuid[])`.execute(db);
  return rows;
}
