// Exact totals without counting: sums over the counters that triggers keep per owner and kind.
import type { AccountSet } from "@psp/contract/permission/scope.ts";
import { sql } from "kysely";
import type { Reader } from "./database.ts";
import { coversEverything, ownerIn, type PlacedActor } from "./visible.ts";

/** Living objects of a kind within a set, summed from the per-owner counters. */
export async function countOwned(
  db: Reader,
  actor: PlacedActor,
  kind: "sensor" | "location",
  set: AccountSet,
): Promise<number> {
  const path = { id: "account.id", path: "c.owner_path" };
  const joined = set.withRole.length > 0 || set.ids.some((id) => id !== actor.id);
  const join = joined && !coversEverything(set, actor) ? sql`join account on account.path = c.owner_path` : sql``;
  const { rows } = await sql<{ n: number | null }>`
    select sum(c.n)::bigint as n from owned_count c ${join} where c.kind = ${kind} and ${ownerIn(set, actor, path)}`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}
