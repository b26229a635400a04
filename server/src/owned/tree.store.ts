// The account tree: maximum depth, and moving a subtree with everything owned in it.
import { errorCode } from "@psp/contract/errors.ts";
import { sql } from "kysely";
import { AppError } from "../kit/app-error.ts";
import { isAtOrBelow, labelLength } from "../db/account-path.ts";
import type { Tx } from "../db/database.ts";
import { setManualCounts } from "../db/owned-count.ts";

/** Maximum depth, including the level of the root account. */
export const maxLevels = 100;

export const treeTooDeepReason = { reason: "The account hierarchy would become too deep." };

export type TreePosition = { id: string; path: string; ancestor_ids: readonly string[] };

export const tablesWithOwnerPath = [
  "role",
  "location",
  "firmware",
  "init_token",
  "sensor",
  "event",
  "report",
  "audit",
] as const;

/**
 * Moves an account and everything below it to another parent: updates ancestors, paths, and the owner paths of all owned rows. Call
 * it under `lockRights(tx, "change")` with the account and the parent locked. Returns the moved ids. Throws 102 if the tree would become
 * too deep.
 */
export async function moveSubtree(tx: Tx, account: TreePosition, parent: TreePosition): Promise<string[]> {
  const depth = account.ancestor_ids.length;
  const ancestors = [...parent.ancestor_ids, parent.id];
  const below = isAtOrBelow("path", account.path);
  const { rows } = await sql<{ levels: number }>`
    select max(cardinality(ancestor_ids)) - ${depth}::int + 1 as levels from account where ${below}`.execute(tx);
  if (ancestors.length + (rows[0]?.levels ?? 1) > maxLevels)
    throw new AppError(errorCode.invalidArgument, { field: "directParentAccount", ...treeTooDeepReason });

  const path = parent.path + account.path.slice(-labelLength);
  const moved = await sql<{ id: string }>`
    update account set path = ${path}::text || substr(path, ${account.path.length + 1}::int),
      ancestor_ids = ${ancestors}::uuid[] || ancestor_ids[${depth + 1}::int:],
      parent_id = case when id = ${account.id} then ${parent.id}::uuid else parent_id end, version = version + 1
    where ${below} returning id`.execute(tx);
  if (path === account.path) return moved.rows.map(({ id }) => id);
  // Concurrent inserts for these accounts have committed, because their row locks were awaited.
  await setManualCounts(tx, true);
  // Monitoring copies the path of sensors that it holds with a weak lock.
  await sql`select count(*) from (
    select from sensor where ${isAtOrBelow("owner_path", account.path)} order by id for update) s`.execute(tx);
  await moveStats(tx, account.path, path);
  await setManualStats(tx, true);
  for (const table of tablesWithOwnerPath) await movePaths(tx, table, account.path, path);
  await setManualStats(tx, false);
  await setManualCounts(tx, false);
  // Counters from an earlier stay at the new position are empty.
  await sql`delete from owned_count where ${isAtOrBelow("owner_path", path)}`.execute(tx);
  await movePaths(tx, "owned_count", account.path, path);
  return moved.rows.map(({ id }) => id);
}

async function movePaths(tx: Tx, table: string, from: string, to: string): Promise<void> {
  await sql`
    update ${sql.table(table)} set owner_path = ${to}::text || substr(owner_path, ${from.length + 1}::int)
    where ${isAtOrBelow("owner_path", from)}`.execute(tx);
}

/** With `on`, changes of sensors are not noted for the statistics. */
async function setManualStats(tx: Tx, on: boolean): Promise<void> {
  await sql`select set_config('psp.notes_stats_itself', ${on ? "on" : "off"}, true)`.execute(tx);
}

/** Instead of a trigger for each sensor. Call it while all sensors are locked, and before they move. */
async function moveStats(tx: Tx, from: string, to: string): Promise<void> {
  const below = isAtOrBelow("owner_path", from);
  await sql`
    insert into sensor_stat_change (stat, owner_path, value, n)
    select stat, place.path, value, n * sign from (
      select stat, owner_path, value, sum(n) as n from (
        select stat, owner_path, value, n from sensor_stat where ${below}
        union all select stat, owner_path, value, n from sensor_stat_change where ${below}) c
      group by stat, owner_path, value having sum(n) <> 0) s
    cross join lateral (values (owner_path, -1), (${to}::text || substr(owner_path, ${from.length + 1}::int), 1)) place (path, sign)`.execute(
    tx,
  );
}
