// Exact totals without counting: sums over the counters that triggers keep per owner and kind.
import type { AccountSet } from "@psp/contract/permission/scope.ts";
import { type RawBuilder, sql } from "kysely";
import type { Database, Reader } from "./database.ts";
import { coversEverything, ownerIn, type PlacedActor } from "./visible.ts";

/** The sum as a query of one row and one column `n`; null where nobody owns anything. */
export function ownedSum(actor: PlacedActor, kind: "sensor" | "location", set: AccountSet): RawBuilder<OwnedSum> {
  const path = { id: "account.id", path: "c.owner_path" };
  const joined = set.withRole.length > 0 || set.ids.some((id) => id !== actor.id);
  const join = joined && !coversEverything(set, actor) ? sql`join account on account.path = c.owner_path` : sql``;
  return sql<OwnedSum>`
    select sum(c.n)::bigint as n from owned_count c ${join} where c.kind = ${kind} and ${ownerIn(set, actor, path)}`;
}
type OwnedSum = { n: number | null };

/** Living objects of a kind within a set, summed from the per-owner counters. */
export async function countOwned(
  db: Reader,
  actor: PlacedActor,
  kind: "sensor" | "location",
  set: AccountSet,
): Promise<number> {
  const { rows } = await ownedSum(actor, kind, set).execute(db);
  return rows[0]?.n ?? 0;
}

/** How long a size may be used to choose a plan. */
const sizeKeptMs = 60_000;
const sizesKept = 10_000;
type Size = { n: Promise<number>; until: number };
const sizes = new WeakMap<Database, Map<string, Size>>();

/**
 * About how many living objects of a kind a set holds; up to a minute old and shared by everybody with the same view. For
 * choosing how to read, never for an answer.
 */
export function roughSize(
  db: Database,
  now: number,
  actor: PlacedActor,
  kind: "sensor" | "location",
  set: AccountSet,
): Promise<number> {
  const known = sizes.get(db) ?? new Map<string, Size>();
  sizes.set(db, known);
  const key = JSON.stringify([kind, set]);
  const last = known.get(key);
  if (last && last.until > now) return last.n;
  const n = countOwned(db, actor, kind, set);
  // A failure is told to whoever waits for it and not kept.
  n.catch(() => known.delete(key));
  known.delete(key);
  known.set(key, { n, until: now + sizeKeptMs });
  const [oldest] = known.keys();
  if (known.size > sizesKept && oldest !== undefined) known.delete(oldest);
  return n;
}
