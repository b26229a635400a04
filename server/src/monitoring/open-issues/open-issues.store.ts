// Queries for the list of open issues. Conditions use only columns of sensor_issue, whose alias is `i`.
import type { SortKey } from "@psp/contract/kit/page.ts";
import type { IssueAge } from "@psp/contract/monitoring/issue-words.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { type Expression, sql } from "kysely";
import type { Reader } from "../../db/database.ts";
import { type Condition, conjunction, oneOf, orderBy, type PageSlice, limitClause } from "../../db/list.ts";
import { whereViewable } from "../../db/visible.ts";
import type { Caller } from "../../kit/caller.ts";
import type { LogFilter } from "../issue/issue.store.ts";
import { isVisibleLogin, type Login } from "./login.store.ts";

/** `assigned`: the logins that `assigneeID` names. */
export type OpenIssueFilter = LogFilter & {
  snoozed: readonly boolean[];
  assigned?: { logins: readonly Login[]; orNone: boolean } | undefined;
};

/** Open issues of sensors that the caller may view, since the sensor came to its owner. */
export const seesOpenIssue = (caller: Caller): Condition =>
  sql<boolean>`(i.owner_path is not null and ${whereViewable(caller, "sensor", "i")})`;

const hourMs = 3_600_000;
export const ageMs: Record<IssueAge, number> = { "1h": hourMs, "24h": 24 * hourMs, "7d": 168 * hourMs };

const isSnoozed = (now: Date) => sql<boolean>`i.snoozed_until > ${now}`;
/** Not a negation, which the planner can't estimate where the time is null. */
const isNotSnoozed = (now: Date) => sql<boolean>`(i.snoozed_until is null or i.snoozed_until <= ${now})`;

/** An assignment counts only while the login may view the sensor. To the caller, a hidden assignee is none. */
function isAssigned(caller: Caller, { logins, orNone }: NonNullable<OpenIssueFilter["assigned"]>): Condition {
  const terms = logins.map(
    (login) => sql`(i.assignee_id = ${login.credentialId} and ${whereViewable(login, "sensor", "i")})`,
  );
  if (orNone) terms.push(sql`i.assignee_id is null`, sql`not ${isVisibleLogin(caller, "i.assignee_id")}`);
  return terms.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(terms, sql` or `)})`;
}

const maxListedLocations = 1000;

/** Replaces a subquery of location ids by the ids, unless they are very many: the planner can't estimate how many it finds. */
export async function listTaggedLocations(db: Reader, tagged: Expression<unknown>): Promise<Expression<unknown>> {
  const { rows } = await sql<{ id: string }>`select id from ${tagged} t limit ${maxListedLocations + 1}`.execute(db);
  if (rows.length > maxListedLocations) return tagged;
  return rows.length === 0 ? sql`(null)` : sql`(${sql.join(rows.map(({ id }) => id))})`;
}

export function openIssueConditions(caller: Caller, filter: OpenIssueFilter): Condition[] {
  const { ids, measID, sensorIDs, issueType, issueStatus, acknowledged, ownerID, tagged, exclude, now, snoozed } =
    filter;
  const all: Condition[] = [seesOpenIssue(caller)];
  if (ids) all.push(oneOf("i.status_id", filterUuids(ids), "uuid"));
  if (measID)
    all.push(sql<boolean>`i.location_id in (select l.id from location l
      where l.id = any(${filterUuids(measID)}::uuid[]) and not l.is_deleted and ${whereViewable(caller, "measurement", "l")})`);
  if (sensorIDs)
    all.push(sql<boolean>`i.sensor_num = any(array(select num from sensor where id = any(${sensorIDs}::text[])))`);
  if (issueType) all.push(oneOf("i.issue_type", issueType, "text"));
  if (issueStatus) all.push(oneOf("i.issue_status", issueStatus, "text"));
  if (acknowledged !== undefined) all.push(sql<boolean>`i.is_acknowledged = ${acknowledged}`);
  if (filter.from) all.push(sql<boolean>`i.started_ms >= ${Date.parse(filter.from)}`);
  if (filter.to) all.push(sql<boolean>`i.started_ms < ${Date.parse(filter.to)}`);
  if (ownerID) all.push(oneOf("i.owner_id", filterUuids(ownerID), "uuid"));
  if (tagged) all.push(sql<boolean>`i.location_id in ${tagged}`);
  if (filter.olderThan) all.push(sql<boolean>`i.opened_ms <= ${now.getTime() - ageMs[filter.olderThan]}`);
  if (filter.assigned) all.push(isAssigned(caller, filter.assigned));
  if (exclude && exclude.length > 0) all.push(sql<boolean>`not i.status_id = any(${filterUuids(exclude)}::uuid[])`);
  if (new Set(snoozed).size === 1) all.push(snoozed[0] === true ? isSnoozed(now) : isNotSnoozed(now));
  return all;
}

const severity = sql.ref("i.issue_status");
const sortable = {
  // "Error" sorts before "Warning".
  severity: [severity, sql.ref("i.is_acknowledged"), sql.ref("i.opened_ms")],
  since: [sql.ref("i.opened_ms")],
  startUTC: [sql.ref("i.started_ms")],
  issueType: [sql.ref("i.issue_type")],
  sens: [sql.ref("i.sensor_id")],
  acknowledged: [sql.ref("i.is_acknowledged")],
  issueStatus: [severity],
};
export const openIssueSorts: readonly string[] = Object.keys(sortable);
const worstFirst: SortKey = { field: "severity", descending: false };

/** Ids of the log entries on the page, in order. */
export async function findOpenIssueIds(
  db: Reader,
  conditions: readonly Condition[],
  sort: readonly SortKey[],
  part: PageSlice,
): Promise<string[]> {
  // By weight, an error is after a warning.
  const weighed = sort.map(({ field, descending }) => ({
    field,
    descending: field === "issueStatus" ? !descending : descending,
  }));
  const keys = sort.some(({ field }) => field === "severity") ? weighed : [...weighed, worstFirst];
  const { rows } = await sql<{ id: string }>`
    select i.status_id as id from sensor_issue i where ${conjunction(conditions)}
    order by ${orderBy(keys, sortable, "i.status_id")} ${limitClause(part)}`.execute(db);
  return rows.map(({ id }) => id);
}

export async function countOpenIssues(db: Reader, conditions: readonly Condition[]): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from sensor_issue i where ${conjunction(conditions)}`.execute(db);
  return rows[0]?.n ?? 0;
}

/** When the next snooze ends; null if none of these issues is snoozed. */
export async function findNextSnoozeEnd(db: Reader, caller: Caller, now: Date): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(i.snoozed_until) as at from sensor_issue i where i.snoozed_until > ${now} and ${seesOpenIssue(caller)}`.execute(
    db,
  );
  return rows[0]?.at ?? null;
}

export async function countBySeverity(db: Reader, caller: Caller, now: Date) {
  const { rows } = await sql<{ errors: number; warnings: number; snoozed: number }>`
    select count(*) filter (where i.issue_status = 'Error' and ${isNotSnoozed(now)}) as errors,
      count(*) filter (where i.issue_status = 'Warning' and ${isNotSnoozed(now)}) as warnings,
      count(*) filter (where ${isSnoozed(now)}) as snoozed
    from sensor_issue i where ${seesOpenIssue(caller)}`.execute(db);
  return rows[0] ?? { errors: 0, warnings: 0, snoozed: 0 };
}
