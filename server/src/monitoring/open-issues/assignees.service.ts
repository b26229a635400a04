// Logins to choose from when an issue is assigned, and the end of assignments to logins that lost access.
import type { listAssignees as listAssigneesCall } from "@psp/contract/monitoring/issue-work.api.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { canView } from "@psp/contract/permission/can.ts";
import type { Context } from "../../context.ts";
import { lockRights } from "../../db/locks.ts";
import { write } from "../../db/write.ts";
import type { Caller } from "../../kit/caller.ts";
import { publishEntity } from "../../owned/change.ts";
import { findOwners } from "../../owned/owner.ts";
import { findLogins, type Login, searchLogins } from "./login.store.ts";
import { toAssignee } from "./open-issues.service.ts";
import * as store from "./work.store.ts";

const chunk = 200;
/** Maximum of logins that one call examines; a search finds the others. */
const maxExamined = 2000;

/** Lists logins that may view the sensors of all these issues; without ids, logins that may view any sensor. */
export async function listAssignees(
  ctx: Context,
  caller: Caller,
  { ids = [], search, skip = 0, limit = ctx.config.pageSize }: HandlerInput<typeof listAssigneesCall>["query"],
) {
  const work = await store.findWork(ctx.db, caller, filterUuids(ids.map((id) => id.toLowerCase())));
  // Issues that the caller doesn't see do not restrict the logins, because that would reveal who may view them.
  const seen = [...work.values()].filter(({ openedMs }) => openedMs !== null);
  const owners = [...(await findOwners(ctx.db, [...new Set(seen.map((one) => one.sensorOwnerId))])).values()];
  const isPossible = (login: Login) => owners.every((owner) => canView(login, "sensor", owner));
  const found: Login[] = [];
  let hasMore = false;
  for (let at = 0; at < maxExamined; at += chunk) {
    const logins = await searchLogins(ctx.db, caller, { search, owner: owners[0] ?? null }, { skip: at, limit: chunk });
    found.push(...logins.filter(isPossible));
    hasMore = found.length > skip + limit || (logins.length === chunk && at + chunk >= maxExamined);
    if (logins.length < chunk || hasMore) break;
  }
  return { objects: found.slice(skip, skip + limit).map(toAssignee), hasMore };
}

const pairsAtOnce = 500;

/** Ends assignments to logins that may no longer view the sensor. Until then, they are not shown either. */
export async function endInvalidAssignments(ctx: Context, stopping?: AbortSignal): Promise<void> {
  let last: store.Assignment | null = null;
  while (!stopping?.aborted) {
    const pairs: store.Assignment[] = await store.findAssignments(ctx.db, last, pairsAtOnce);
    if (pairs.length === 0) return;
    last = pairs.at(-1) ?? null;
    await write(ctx, { system: "monitoring" }, async (w) => {
      await lockRights(w.tx, "use");
      const logins = await findLogins(
        w.tx,
        pairs.map(({ assigneeId }) => assigneeId),
      );
      const owners = await findOwners(w.tx, [...new Set(pairs.map(({ ownerId }) => ownerId))]);
      const invalid = pairs.filter(({ assigneeId, ownerId }) => {
        const [login, owner] = [logins.get(assigneeId), owners.get(ownerId)];
        return !login || !owner || !canView(login, "sensor", owner);
      });
      for (const { id, ownerId } of await store.endAssignments(w.tx, invalid))
        publishEntity(w, { type: "issue", op: "update", id, ownerBefore: ownerId, ownerAfter: ownerId });
    });
  }
}
