// SQL that counts what a set of owners holds as another account sees it: accounts by the index of paths, sensors by counters.
import { viewSet } from "@psp/contract/permission/can.ts";
import type { AccountSet } from "@psp/contract/permission/scope.ts";
import { type Expression, type SqlBool, sql } from "kysely";
import type { Reader } from "../db/database.ts";
import { type OwnerColumns, ownerIn } from "../db/visible.ts";
import type { PlacedActor } from "../kit/caller.ts";
import type { Caller } from "../kit/caller.ts";

const columns = { id: "account.id", path: "account.path" };

/** The set as if the account held this role already, and no other. */
function asHolder(set: AccountSet, holder: PlacedActor & { roleId: string }, at: OwnerColumns): Expression<SqlBool> {
  const isIn = set.withRole.includes(holder.roleId) ? [holder.id] : [];
  const placed = ownerIn({ ...set, ids: [...set.ids, ...isIn], withRole: [] }, holder, at);
  const others = ownerIn({ ids: [], descendantsOf: null, withRole: set.withRole }, holder, at);
  return sql<boolean>`(${placed} or (${others} and ${sql.ref(at.id)} <> ${holder.id}))`;
}

/** Accounts and living sensors in the set, as far as the viewer sees both. Deleted accounts count: what they own can be seen. */
export async function countReach(
  db: Reader,
  viewer: Caller,
  holder: PlacedActor & { roleId: string },
  set: AccountSet,
): Promise<{ accounts: number; sensors: number }> {
  // The counters have the path in their own index.
  const counted = { ...columns, path: "c.owner_path" };
  const { rows } = await sql<{ accounts: number; sensors: number }>`
    select (select count(*) from account
        where ${asHolder(set, holder, columns)} and ${ownerIn(viewSet(viewer, "owner"), viewer, columns)}) as accounts,
      (select coalesce(sum(c.n), 0)::bigint from owned_count c join account on account.path = c.owner_path
        where c.kind = 'sensor' and ${asHolder(set, holder, counted)}
          and ${ownerIn(viewSet(viewer, "sensor"), viewer, counted)}) as sensors`.execute(db);
  return rows[0] ?? { accounts: 0, sensors: 0 };
}
