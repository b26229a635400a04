// Queries for the list of customers: totals per account, grouped by the child whose subtree the account is in.
import type { customerListQuery } from "@psp/contract/customer/customer.query.ts";
import { type CustomerSort, type Trouble, troubles } from "@psp/contract/customer/trouble.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import { resolveViewScope } from "@psp/contract/permission/can.ts";
import type { AccountSet } from "@psp/contract/permission/scope.ts";
import { type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import { isAtOrBelow, isBelow, labelLength } from "../db/account-path.ts";
import type { Reader } from "../db/database.ts";
import { type Condition, conjunction, containsName, limitClause, nameSortKeys, type PageSlice } from "../db/list.ts";
import { coversEverything, whereOwnerIn, whereViewable } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";
import { openIssueTables, readableIssues } from "../sensor/open-issue.rights.ts";
import { outdatedVersions } from "../sensor/outdated.rights.ts";
import { isOfflineAt } from "./totals.store.ts";

export type CustomerFilter = Pick<z.output<typeof customerListQuery>, "name" | "trouble">;

export type CustomerRow = Record<Trouble | "children" | "sensors", number> & {
  id: string;
  name: string;
  lastSeenAt: Date | null;
  knownMs: number;
  expectedMs: number;
  total: number;
};

export type Parent = { id: string; path: string };

/** Null if the account is deleted or the caller may not view it. */
export async function findParent(db: Reader, caller: Caller, accountId: string): Promise<Parent | null> {
  const [id] = filterUuids([accountId]);
  if (id === undefined) return null;
  const visible = whereViewable(caller, "owner", "account");
  const { rows } = await sql<Parent>`
    select id, path from account where id = ${id} and not is_deleted and ${visible}`.execute(db);
  return rows[0] ?? null;
}

/** Sources of rows with `owner_path` below a parent, and the part of a query that removes what the caller may not view. */
function createScope(caller: Caller, parent: Parent) {
  const below = (column: string) => isBelow(column, parent.path);
  /** At or below the customer `p` of the page. */
  const within = (column: string) => isAtOrBelow(column, sql.ref("p.path"));
  const child = (column: string) => sql`left(${sql.ref(column)}, ${parent.path.length + labelLength})`;
  /** Whether everything below the parent is in the set, so that no row needs a check. */
  const coversAll = (set: AccountSet) => set.descendantsOf === caller.id && parent.path.startsWith(caller.path);
  const seen = (set: AccountSet) => {
    if (coversAll(set)) return { join: sql``, where: sql<boolean>`true` };
    const isJoined = set.withRole.length > 0 || set.ids.some((id) => id !== caller.id);
    const join = isJoined && !coversEverything(set, caller) ? sql`join account o on o.path = n.owner_path` : sql``;
    return { join, where: whereOwnerIn(set, caller, { id: "o.id", path: "n.owner_path" }) };
  };
  const viewSet = resolveViewScope(caller, "owner");
  const visibleAccount = coversAll(viewSet)
    ? sql<boolean>`true`
    : whereOwnerIn(viewSet, caller, { id: "account.id", path: "account.path" });
  return { below, within, child, seen, visibleAccount, grandchildLength: parent.path.length + 2 * labelLength };
}

type Scope = ReturnType<typeof createScope>;
type Range = (column: string) => Condition;

const fewMarks = 1000;

/**
 * Sensors below the parent, and perhaps a few others, whose totals may be out of date: changed since, offline since then, or with
 * issues that need a closer look. A sensor that is counted elsewhere than it is now is marked.
 */
const dirtySensors = ({ below }: Scope, cutoff: Date) => {
  const limit = sql`(select last_contact_at from offline_limit)`;
  // A few marks, as usual, are looked up one by one. Many are compared with the sensors below the parent.
  const areMany = sql`(select count(*) > ${fewMarks} from (select from sensor_mark limit ${fewMarks + 1}) k)`;
  return sql`
    select sensor_num from sensor_mark where not ${areMany}
    union select k.sensor_num from sensor_mark k join sensor s on s.num = k.sensor_num
      where ${areMany} and not s.is_deleted and ${below("s.owner_path")}
    union select k.sensor_num from sensor_mark k join counted_sensor c on c.sensor_num = k.sensor_num
      where ${areMany} and ${below("c.owner_path")}
    union select num from sensor where silent_since > least(${limit}, ${cutoff}::timestamptz)
      and silent_since <= greatest(${limit}, ${cutoff}::timestamptz) and not is_deleted and ${below("owner_path")}
    union select sensor_num from counted_sensor where has_former_issue and ${below("owner_path")}`;
};

const sensorColumns = ["sensors", "offline", "errors", "warnings", "outdated"] as const;

function sensorSums(caller: Caller, { below, child, seen }: Scope): RawBuilder<unknown> {
  const { join, where } = seen(resolveViewScope(caller, "sensor"));
  return sql`
    select ${child("n.owner_path")} as path, ${sumOf(sensorColumns)}
    from owner_total n ${join} where ${below("n.owner_path")} and ${where} group by 1`;
}

/** Versions that are counted as outdated but are not for the caller, and the other way round. */
const otherVersions = sql`
  select v.num, case when v.is_outdated then -1 else 1 end as sign from reported_version v left join outdated o on o.num = v.num
  where v.is_outdated <> (o.num is not null)`;

/**
 * Adds the present state of the dirty sensors, and subtracts the one with which they are counted. Corrects the number of outdated
 * sensors by the versions that are counted in another way than the caller sees them.
 */
function sensorCorrections(caller: Caller, { below, child, seen }: Scope, cutoff: Date): RawBuilder<unknown> {
  const { join, where } = seen(resolveViewScope(caller, "sensor"));
  // Aggregates and `offset 0` make the planner look each sensor up by index, whatever its row estimate.
  const hasIssue = (status: "Error" | "Warning") =>
    sql`coalesce(bool_or(m.issue_status = ${sql.lit(status)}), false)::int`;
  const isOld = (version: RawBuilder<unknown>) => sql`((${version}) in (select type, version from outdated))::int`;
  return sql`
    select ${child("n.owner_path")} as path, ${sumOf(sensorColumns)}
    from (
      select c.owner_path, -1 as sensors, -c.is_offline::int as offline, -c.has_error::int as errors,
          -c.has_warning::int as warnings, -${isOld(sql`c.type, c.version`)} as outdated
        from dirty d cross join lateral (select * from counted_sensor where sensor_num = d.sensor_num offset 0) c
      union all
      select s.owner_path, 1, ${isOfflineAt(sql`${cutoff}::timestamptz`)}::int, open.errors, open.warnings,
          ${isOld(sql`s.type, coalesce(s.running_version, '')`)}
        from dirty d cross join lateral (select * from sensor where num = d.sensor_num and not is_deleted offset 0) s
        cross join lateral (select ${hasIssue("Error")} as errors, ${hasIssue("Warning")} as warnings
          from ${openIssueTables} where i.sensor_num = d.sensor_num and ${readableIssues(caller)}) open
      union all
      select t.owner_path, 0, 0, 0, 0, sum(w.sign * v.sensors)::int
        from other_version w join owner_version v on v.version_num = w.num join owner_total t on t.num = v.owner_num
        where ${below("t.owner_path")} group by t.num
    ) n ${join} where ${below("n.owner_path")} and ${where} group by 1`;
}

const sumOf = (columns: readonly string[]) =>
  sql.join(columns.map((column) => sql`sum(${sql.ref(`n.${column}`)}) as ${sql.ref(column)}`));

// Sums of bigint would be numeric, which is slow. These numbers are exact as floats.
const completenessColumns = sql`sum(n.known_ms::float8) as known_ms, sum(n.expected_ms::float8) as expected_ms`;

function completenessSums(caller: Caller, { child, seen }: Scope, range: Range): RawBuilder<unknown> {
  const { join, where } = seen(resolveViewScope(caller, "measurement"));
  return sql`
    select ${child("n.owner_path")} as path, ${completenessColumns}
    from owner_completeness n ${join} where ${range("n.owner_path")} and ${where} group by 1`;
}

/** Adds the present owners of marked locations, and subtracts those with which they are counted. */
function completenessCorrections(caller: Caller, { below, child, seen }: Scope): RawBuilder<unknown> {
  const { join, where } = seen(resolveViewScope(caller, "measurement"));
  const marked = sql`(select distinct location_id from location_mark) k
    cross join lateral (select * from counted_location where location_id = k.location_id offset 0) c`;
  return sql`
    select ${child("n.owner_path")} as path, ${completenessColumns}
    from (
      select c.owner_path, -c.known_ms as known_ms, -c.expected_ms as expected_ms from ${marked}
      union all select l.owner_path, c.known_ms, c.expected_ms from ${marked}
        cross join lateral (select * from location where id = k.location_id and not is_deleted offset 0) l
    ) n ${join} where ${below("n.owner_path")} and ${where} group by 1`;
}

/** Of the accounts below each child. */
function treeSums({ child, visibleAccount, grandchildLength }: Scope, range: Range): RawBuilder<unknown> {
  return sql`
    select ${child("account.path")} as path, max(last_seen_at) as last_seen_at,
      count(*) filter (where length(account.path) = ${grandchildLength}) as children
    from account where ${range("account.path")} and length(account.path) >= ${grandchildLength} and not is_deleted
      and ${visibleAccount} group by 1`;
}

/** Customers without data sort last in both directions. */
const sortable: Record<CustomerSort, readonly RawBuilder<unknown>[]> = {
  name: nameSortKeys("r"),
  ...(Object.fromEntries(
    ["children", "sensors", ...troubles].map((column) => [column, [sql.ref(`r.${column}`)]]),
  ) as Record<Trouble | "children" | "sensors", [RawBuilder<unknown>]>),
  completeness: [sql`case when r.expected_ms > 0 then least(1, r.known_ms / r.expected_ms) end`],
  lastSignInAt: [sql.ref("r.last_seen_at")],
};
const worstFirst: SortKey[] = troubles.map((field) => ({ field, descending: true }));

function orderOf(sort: readonly SortKey[]): RawBuilder<unknown> {
  const keys = [...sort, ...worstFirst, { field: "name", descending: false }];
  const parts = keys.flatMap(({ field, descending }) =>
    sortable[field as CustomerSort].map((key) => sql`${key} ${sql.raw(descending ? "desc" : "asc")} nulls last`),
  );
  return sql.join([...parts, sql`r.id`], sql`, `);
}

/**
 * `total` is the number of all matches. `cutoff`: the oldest last contact that still counts as connected. What no key of the order
 * needs is summed for the page only.
 */
export async function findCustomers(
  db: Reader,
  caller: Caller,
  parent: Parent,
  { name, trouble }: CustomerFilter,
  { sort, part, cutoff }: { sort: readonly SortKey[]; part: PageSlice; cutoff: Date },
): Promise<CustomerRow[]> {
  const scope = createScope(caller, parent);
  const children: Condition[] = [
    sql<boolean>`account.parent_id = ${parent.id}`,
    sql<boolean>`not account.is_deleted`,
    scope.visibleAccount,
  ];
  if (name) children.push(containsName("account", name));
  const isInTrouble = trouble
    ? sql`(${sql.join(
        [...new Set(trouble)].map((kind) => sql`${sql.ref(`r.${kind}`)} > 0`),
        sql` or `,
      )})`
    : sql`true`;
  const counted = sql.join(
    sensorColumns.map(
      (column) =>
        sql`(coalesce(${sql.ref(`s.${column}`)}, 0) + coalesce(${sql.ref(`c.${column}`)}, 0))::int as ${sql.ref(column)}`,
    ),
  );
  const sorted = joinSortedSums(caller, scope, sort);
  const { rows } = await sql<CustomerRow>`
    with dirty as materialized (${dirtySensors(scope, cutoff)}),
    outdated as materialized (${outdatedVersions(caller)}),
    other_version as materialized (${otherVersions}),
    sensor_sum as materialized (${sensorSums(caller, scope)}),
    correction as materialized (${sensorCorrections(caller, scope, cutoff)}),
    location_correction as materialized (${completenessCorrections(caller, scope)}),
    page as materialized (
      select row_number() over () as place, p.* from (
        select r.*, count(*) over ()::int as total from (
          select account.id, account.path, account.name, account.name_sort, account.last_seen_at as own_seen_at, ${counted} ${sorted.columns}
          from account left join sensor_sum s on s.path = account.path left join correction c on c.path = account.path
            ${sorted.joins}
          where ${conjunction(children)}
        ) r where ${isInTrouble} order by ${orderOf(sort)} ${limitClause(part)}
      ) p
    )
    select p.id, p.name, p.total, p.sensors, p.offline, p.errors, p.warnings, p.outdated,
      coalesce(tree.children, 0)::int as children, greatest(p.own_seen_at, tree.last_seen_at) as "lastSeenAt",
      ${completenessOf("known_ms")}::bigint as "knownMs", ${completenessOf("expected_ms")}::bigint as "expectedMs"
    from page p left join lateral (${completenessSums(caller, scope, scope.within)}) l on true
      left join location_correction lc on lc.path = p.path left join lateral (${treeSums(scope, scope.within)}) tree on true
    order by p.place`.execute(db);
  return rows;
}

const completenessOf = (column: "known_ms" | "expected_ms") =>
  sql`(coalesce(${sql.ref(`l.${column}`)}, 0) + coalesce(${sql.ref(`lc.${column}`)}, 0))`;

/** Sums that only some orders need. */
function joinSortedSums(caller: Caller, scope: Scope, sort: readonly SortKey[]) {
  const isSortedBy = (...fields: readonly CustomerSort[]) =>
    sort.some(({ field }) => fields.some((one) => one === field));
  const [byCompleteness, byTree] = [isSortedBy("completeness"), isSortedBy("children", "lastSignInAt")];
  const completeness = sql`, ${completenessOf("known_ms")} as known_ms, ${completenessOf("expected_ms")} as expected_ms`;
  const tree = sql`, coalesce(tree.children, 0) as children, greatest(account.last_seen_at, tree.last_seen_at) as last_seen_at`;
  return {
    columns: sql`${byCompleteness ? completeness : sql``} ${byTree ? tree : sql``}`,
    joins: sql`${byCompleteness ? sql`left join (${completenessSums(caller, scope, scope.below)}) l on l.path = account.path left join location_correction lc on lc.path = account.path` : sql``}
      ${byTree ? sql`left join (${treeSums(scope, scope.below)}) tree on tree.path = account.path` : sql``}`,
  };
}
