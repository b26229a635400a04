// Queries for the audit log: readable rows and filters.
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import type { LiveType } from "@psp/contract/live/live-message.ts";
import type { listAudit } from "@psp/contract/audit/audit.api.ts";
import { type AuditKind, auditKinds, refusalActions, usageActions } from "@psp/contract/audit/audit.ts";
import { resolveEditScope, isRoot, type ObjectType, resolveViewScope } from "@psp/contract/permission/can.ts";
import { type Selectable, sql } from "kysely";
import type { Caller } from "../kit/caller.ts";
import type { Reader } from "../db/database.ts";
import { type Condition, conjunction, type PageSlice, limitClause, orderBy } from "../db/list.ts";
import type { Tables } from "../db/tables.ts";
import { whereOwnerIn } from "../db/visible.ts";

type AuditFilter = Omit<
  HandlerInput<typeof listAudit>["query"],
  "skip" | "limit" | "includeTotals" | "sortBy" | "sortDesc"
>;

export type AuditTrailRow = Selectable<Tables["audit"]> & { who_name: string | null };

/** The object type whose view scope applies. Only the root account reads rows about other types. */
const scopeOf: Record<LiveType | "sensor-batch" | "datapoint" | "issue", ObjectType> = {
  account: "owner",
  role: "role",
  sensor: "sensor",
  "sensor-batch": "sensor",
  "init-token": "sensor",
  measurement: "measurement",
  event: "measurement",
  datapoint: "measurement",
  issue: "measurement",
  artifact: "artifact",
  report: "measurement",
};

const columns = { id: "audit.owner_id", path: "audit.owner_path" };

const isRefusal = sql<boolean>`(audit.action = any(${[...refusalActions]}::text[]))`;

/**
 * Selects the kind "refusal", which includes refused enrollments. `isRefusal` excludes them, because the view scope is enough to read
 * them.
 */
const isTry = sql<boolean>`(audit.action = any(${[...refusalActions, "enrol-refused"]}::text[]))`;
const isUse = sql<boolean>`(audit.action = any(${[...usageActions]}::text[]))`;
const ofKind: Record<AuditKind, Condition> = {
  refusal: isTry,
  use: isUse,
  change: sql<boolean>`(not ${isTry} and not ${isUse})`,
};

/**
 * Selects rows about objects whose owner at the time of the row is in the caller's scope: the edit scope for refusals, else the view
 * scope. An account also reads its own refusals.
 */
function readable(caller: Caller): Condition {
  if (isRoot(caller) && caller.permissions) return sql<boolean>`true`;
  const seen = within(caller, resolveViewScope);
  if (!caller.permissions) return seen;
  const own = sql`(audit.account_id = ${caller.id}
    or (audit.object_type = 'account' and audit.object_id = ${caller.id}))`;
  return sql<boolean>`((not ${isRefusal} and ${seen}) or (${isRefusal} and (${own} or ${within(caller, resolveEditScope)})))`;
}

function within(caller: Caller, setOf: typeof resolveViewScope): Condition {
  const byScope = Map.groupBy(Object.entries(scopeOf), ([, scope]) => scope);
  const terms = [...byScope].map(([scope, types]) => {
    const names = types.map(([type]) => type);
    return sql`(audit.object_type = any(${names}::text[]) and ${whereOwnerIn(setOf(caller, scope), caller, columns)})`;
  });
  return sql<boolean>`(${sql.join(terms, sql` or `)})`;
}

export function auditConditions(caller: Caller, filter: AuditFilter): Condition[] {
  const all: Condition[] = [readable(caller)];
  if (filter.objectID) all.push(sql<boolean>`audit.object_id = any(${filter.objectID}::text[])`);
  if (filter.objectType) all.push(sql<boolean>`audit.object_type = any(${filter.objectType}::text[])`);
  if (filter.who) all.push(sql<boolean>`audit.account_id = any(${filterUuids(filter.who)}::uuid[])`);
  if (filter.from) all.push(sql<boolean>`audit.at >= ${filter.from}::timestamptz`);
  if (filter.withoutRefused) all.push(sql<boolean>`not ${isRefusal}`);
  const kinds = auditKinds.filter((kind) => filter.kind?.includes(kind));
  if (kinds.length > 0)
    all.push(
      sql<boolean>`(${sql.join(
        kinds.map((kind) => ofKind[kind]),
        sql` or `,
      )})`,
    );
  if (filter.to) all.push(sql<boolean>`audit.at < ${filter.to}::timestamptz`);
  return all;
}

const sortable = { at: [sql.ref("audit.at")] };

export async function findAuditPage(db: Reader, conditions: Condition[], sort: SortKey[], part: PageSlice) {
  const order = orderBy(sort.length > 0 ? sort : [{ field: "at", descending: true }], sortable, "audit.id");
  const { rows } = await sql<AuditTrailRow>`
    select audit.*, who.name as who_name from
      (select audit.* from audit where ${conjunction(conditions)} order by ${order} ${limitClause(part)}) audit
    left join account who on who.id = audit.account_id order by ${order}`.execute(db);
  return rows;
}

/** The last row of a part. The time is the database's text, which is more precise than a Date. */
export type AuditCursor = { at: string; id: string };

/** Finds the next rows in the default order. The cost does not depend on the position. */
export async function findAuditPart(db: Reader, conditions: Condition[], after: AuditCursor | null, limit: number) {
  const below =
    after === null
      ? sql<boolean>`true`
      : sql<boolean>`(audit.at <= ${after.at}::timestamptz
          and (audit.at < ${after.at}::timestamptz or audit.id > ${after.id}::uuid))`;
  const { rows } = await sql<AuditTrailRow & { cursor_at: string }>`
    select audit.*, audit.at::text as cursor_at, who.name as who_name from
      (select audit.* from audit where ${conjunction([...conditions, below])} order by at desc, id limit ${limit}) audit
    left join account who on who.id = audit.account_id order by audit.at desc, audit.id`.execute(db);
  return rows;
}

export type OwnerPosition = { id: string; path: string };

export async function findOwnerPosition(db: Reader, type: string, id: string): Promise<OwnerPosition | null> {
  const table = Object.hasOwn(ownedTables, type) ? ownedTables[type as keyof typeof ownedTables] : null;
  if (table === null) return null;
  const own = type === "account" ? sql`id, path` : sql`owner_id as id, owner_path as path`;
  const { rows } = await sql<OwnerPosition>`select ${own} from ${sql.table(table)} where id = ${id}`.execute(db);
  return rows[0] ?? null;
}

const ownedTables: Record<Exclude<LiveType, "issue">, string> = {
  account: "account",
  role: "role",
  sensor: "sensor",
  "init-token": "init_token",
  measurement: "location",
  event: "event",
  artifact: "firmware",
  report: "report",
};
