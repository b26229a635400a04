// Reads exact totals from counters that triggers maintain per owner and kind.
import type { AccountSet } from "@psp/contract/permission/scope.ts";
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import { type RawBuilder, sql } from "kysely";
import type { Database, Reader, Tx } from "./database.ts";
import { oneOf } from "./list.ts";
import { coversEverything, whereOwnerIn } from "./visible.ts";
import type { ActorWithPath } from "../kit/caller.ts";

export type CountedKind = "sensor" | `sensor ${SensorType}` | "location";

/** The join and condition that select the rows `c` of a table of counters with `owner_path`. */
export function createOwnerFilter(actor: ActorWithPath, set: AccountSet) {
  const joined = set.withRole.length > 0 || set.ids.some((id) => id !== actor.id);
  return {
    join: joined && !coversEverything(set, actor) ? sql`join account on account.path = c.owner_path` : sql``,
    where: whereOwnerIn(set, actor, { id: "account.id", path: "c.owner_path" }),
  };
}

/** Returns a query with one row and one column `n`, which is null if nothing is owned. */
export function ownedCountQuery(
  actor: ActorWithPath,
  kinds: readonly CountedKind[],
  set: AccountSet,
): RawBuilder<OwnedSum> {
  const { join, where } = createOwnerFilter(actor, set);
  return sql<OwnedSum>`
    select sum(c.n)::bigint as n from owned_count c ${join} where ${oneOf("c.kind", kinds, "text")} and ${where}`;
}
type OwnedSum = { n: number | null };

export async function countOwnedObjects(
  db: Reader,
  actor: ActorWithPath,
  kinds: readonly CountedKind[],
  set: AccountSet,
): Promise<number> {
  const { rows } = await ownedCountQuery(actor, kinds, set).execute(db);
  return rows[0]?.n ?? 0;
}

/**
 * With `on`, the row triggers do nothing and the transaction must update the counters itself. For thousands of rows of one owner,
 * the triggers would take quadratic time.
 */
export async function setManualCounts(tx: Tx, on: boolean): Promise<void> {
  await sql`select set_config('psp.counts_itself', ${on ? "on" : "off"}, true)`.execute(tx);
}

/** Maximum age of an estimate. */
const sizeKeptMs = 60_000;
const sizesKept = 10_000;
type Size = { n: Promise<number>; until: number };
const sizes = new WeakMap<Database, Map<string, Size>>();

/**
 * Returns the approximate number of undeleted objects in a set. May be a minute old; cached per view, not per caller. Use it only
 * to choose a plan, never for a response.
 */
export function estimateSize(
  db: Database,
  now: number,
  actor: ActorWithPath,
  kind: CountedKind,
  set: AccountSet,
): Promise<number> {
  const known = sizes.get(db) ?? new Map<string, Size>();
  sizes.set(db, known);
  const key = JSON.stringify([kind, set]);
  const last = known.get(key);
  if (last && last.until > now) return last.n;
  const n = countOwnedObjects(db, actor, [kind], set);
  // All callers that wait for the result get a failure, too, but it is not cached.
  n.catch(() => known.delete(key));
  known.delete(key);
  known.set(key, { n, until: now + sizeKeptMs });
  const [oldest] = known.keys();
  if (known.size > sizesKept && oldest !== undefined) known.delete(oldest);
  return n;
}
