// How owners relate to the caller, and for whom they may make anything: what the console asks before it offers (PE-02).
import type { Standing } from "@psp/contract/account/rights.api.ts";
import { onlyUuids } from "@psp/contract/kit/ids.ts";
import { standingOf } from "@psp/contract/permission/standing.ts";
import { whyNotDeleteAccount } from "@psp/contract/permission/why-not.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { findOwners } from "../owned/owner.ts";
import * as store from "./account.store.ts";

/** One answer for each id, in order; of what the caller's scopes don't reach nothing is revealed, not even that it exists. */
export async function listStandings(ctx: Context, caller: Caller, ids: readonly string[]): Promise<Standing[]> {
  const asked = ids.map((id) => id.toLowerCase());
  const known = await findOwners(ctx.db, onlyUuids(asked));
  const isDeletable = (id: string) => {
    const owner = known.get(id);
    return owner && !owner.isDeleted && whyNotDeleteAccount(caller, owner, false) === null;
  };
  const parents = await store.parentsAmong(ctx.db, [...known.keys()].filter(isDeletable));
  return asked.map((_id) => {
    const owner = known.get(_id) ?? { id: _id, parentAccounts: [], roleId: null };
    const { parentAccounts, roleId } = standingOf(caller, owner);
    return { _id, parentAccounts: [...parentAccounts], roleId, hasChildren: parents.has(_id) };
  });
}

export function findCreation(ctx: Context, caller: Caller) {
  return store.findCreatable(ctx.db, caller);
}
