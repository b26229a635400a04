// SQL about the audit trail, nothing else: who may read which rows, and which of them are asked for.
import { onlyUuids } from "@psp/contract/kit/ids.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import { isRoot, type Visible, viewSet } from "@psp/contract/permission/can.ts";
import { sql } from "kysely";
import type { Caller } from "../caller.ts";
import type { Reader } from "../db/database.ts";
import { type Condition, conjunction, countRows, type Cut, cut, orderBy } from "../db/list.ts";
import { ownerIn } from "../db/visible.ts";

export type AuditFilter = {
  objectID?: string[] | undefined;
  objectType?: string[] | undefined;
  who?: string[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

export type AuditTrailRow = {
  id: string;
  at: Date;
  account_id: string | null;
  who_name: string | null;
  request_id: string;
  action: string;
  object_type: string;
  object_id: string;
  before: unknown;
  after: unknown;
};

/** Which view scope a row's object falls under. Rows about anything else are the root account's alone. */
const scopeOf: Record<string, Visible> = {
  account: "owner",
  role: "role",
  sensor: "sensor",
  "sensor-batch": "sensor",
  "init-token": "sensor",
  measurement: "measurement",
  datapoint: "measurement",
  issue: "measurement",
  artifact: "artifact",
};

const columns = { id: "audit.owner_id", path: "audit.owner_path" };

/** Rows about objects whose owner, at the time of writing, lies within the view scope of their type. */
function readable(caller: Caller): Condition {
  if (isRoot(caller) && caller.permissions) return sql<boolean>`true`;
  const byScope = Map.groupBy(Object.entries(scopeOf), ([, scope]) => scope);
  const terms = [...byScope].map(([scope, types]) => {
    const names = types.map(([type]) => type);
    return sql`(audit.object_type = any(${names}::text[]) and ${ownerIn(viewSet(caller, scope), caller, columns)})`;
  });
  return sql<boolean>`(${sql.join(terms, sql` or `)})`;
}

export function auditConditions(caller: Caller, filter: AuditFilter): Condition[] {
  const all: Condition[] = [readable(caller)];
  if (filter.objectID) all.push(sql<boolean>`audit.object_id = any(${filter.objectID}::text[])`);
  if (filter.objectType) all.push(sql<boolean>`audit.object_type = any(${filter.objectType}::text[])`);
  if (filter.who) all.push(sql<boolean>`audit.account_id = any(${onlyUuids(filter.who)}::uuid[])`);
  if (filter.from) all.push(sql<boolean>`audit.at >= ${filter.from}::timestamptz`);
  if (filter.to) all.push(sql<boolean>`audit.at < ${filter.to}::timestamptz`);
  return all;
}

const sortable = { at: [sql.ref("audit.at")] };

/** One page, newest first unless asked otherwise. */
export async function findAuditPage(
  db: Reader,
  conditions: Condition[],
  sort: SortKey[],
  part: Cut,
): Promise<AuditTrailRow[]> {
  const order = orderBy(sort.length > 0 ? sort : [{ field: "at", descending: true }], sortable, "audit.id");
  const { rows } = await sql<AuditTrailRow>`
    select audit.*, who.name as who_name from
      (select audit.* from audit where ${conjunction(conditions)} order by ${order} ${cut(part)}) audit
    left join account who on who.id = audit.account_id order by ${order}`.execute(db);
  return rows;
}

export async function countAudit(db: Reader, conditions: Condition[]): Promise<number> {
  return countRows(db, "audit", conditions);
}
