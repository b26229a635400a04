// SQL about what roles have from other roles, nothing else.
import type { Caller } from "../kit/caller.ts";
import { sql } from "kysely";
import type { OwnerColumns } from "../owned/owner.ts";
import type { Reader, Tx } from "../db/database.ts";
import { conjunction } from "../db/list.ts";
import { roleConditions } from "./role.store.ts";

/** Takes from all gifts of the role what is not among these parts. */
export async function keepOnly(tx: Tx, roleId: string, parts: readonly string[]): Promise<void> {
  await sql`update role_gift set parts = array(select unnest(parts) intersect select unnest(${parts}::text[]))
    where role_id = ${roleId} and not parts <@ ${parts}::text[]`.execute(tx);
  await sql`delete from role_gift where role_id = ${roleId} and cardinality(parts) = 0`.execute(tx);
}

export async function addGift(
  tx: Tx,
  { roleId, giverId, parts }: { roleId: string; giverId: string; parts: readonly string[] },
): Promise<void> {
  await sql`insert into role_gift as g (role_id, giver_id, parts) values (${roleId}, ${giverId}, ${parts}::text[])
    on conflict (role_id, giver_id)
    do update set parts = array(select unnest(g.parts) union select unnest(excluded.parts))`.execute(tx);
}

/** This many are named; the rest is a number. */
const named = 50;

type StrongerRow = OwnerColumns & { id: string; name: string; kept: string[]; total: number };

/** Visible living roles that have something from this giver which is not among `parts`. */
export async function findStronger(db: Reader, viewer: Caller, giverId: string, parts: readonly string[]) {
  const { rows } = await sql<StrongerRow>`
    select role.id, role.name, role.owner_id, owner.name as owner_name, owner.is_deleted as owner_is_deleted,
      owner.last_seen_at as owner_last_seen_at, count(*) over () as total,
      array(select unnest(g.parts) except select unnest(${parts}::text[])) as kept
    from role_gift g join role on role.id = g.role_id join account owner on owner.id = role.owner_id
    where g.giver_id = ${giverId} and not g.parts <@ ${parts}::text[] and ${conjunction(roleConditions(viewer, {}))}
    order by lower(role.name), role.id limit ${named}`.execute(db);
  return rows;
}
