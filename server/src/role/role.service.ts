// Use cases about roles: right, rule, transaction, announcement, in this order, always.
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { canView, findExceedingScope, viewSet } from "@psp/contract/permission/can.ts";
import { type Permissions, withOwnView } from "@psp/contract/permission/permissions.ts";
import { whyNotDeleteRole, whyNotEditRole } from "@psp/contract/permission/why-not.ts";
import type { createRole as createCall, listRoles as listCall } from "@psp/contract/role/role.api.ts";
import type { RoleChange } from "@psp/contract/role/role.ts";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { arrayOrPage, countRows } from "../db/list.ts";
import { lockRights } from "../db/locks.ts";
import { onDuplicate, refuseAhead, type Write, write } from "../db/write.ts";
import { AppError, refuseIf } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { uuidv7 } from "../kit/uuid.ts";
import {
  announceAccount,
  answerOwned,
  changeOwned,
  createOwned,
  deleteOwned,
  judgeChange,
  judgeDelete,
  judgeNew,
} from "../owned/change.ts";
import { lockOwned } from "../owned/owned.store.ts";
import { findOwners } from "../owned/owner.ts";
import { recordGifts } from "./gift.service.ts";
import { nameableRoles, refreshed, requireKnownRoles, viewScopesDiffer } from "./rights.service.ts";
import { roles } from "./role.noun.ts";
import { roleReasons } from "./role.reasons.ts";
import * as store from "./role.store.ts";
import { toJsonb } from "../db/storable.ts";

type Judgeable = Pick<store.RoleRow, "id" | "owner_id" | "permissions" | "version" | "name">;

/** With more holders than this, everybody is notified to look again instead of each by name. */
const namedHolders = 1000;

/** The list as an array, or a page when a total was requested. */
export async function listRoles(ctx: Context, caller: Caller, query: HandlerInput<typeof listCall>["query"]) {
  const conditions = store.roleConditions(caller, query, query.includeDeleted);
  return arrayOrPage(
    query,
    query.includeTotals ? ctx.config.pageSize : null,
    async (sort, part) =>
      (await store.findRolePage(ctx.db, conditions, sort, part)).map((row) => roles.toWire(ctx, row)),
    () => countRows(ctx.db, "role", conditions),
  );
}

/** Makes a role for an account; no one gives more than they have (308). */
export async function createRole(ctx: Context, caller: Caller, input: HandlerInput<typeof createCall>["body"]) {
  const permissions = withOwnView(input.permissions ?? {});
  const judge = (reader: Reader, actor: Caller) =>
    judgeNew(roles, reader, actor, input.owner, {
      refer: () => requireKnownRoles(reader, actor, permissions, {}),
      demand(owner) {
        requireWithinOwnRights(actor, permissions, {});
        return requireFreeName(reader, owner.id, input.name, null);
      },
    });
  await refuseAhead(ctx, caller, () => judge(ctx.db, caller));
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "change");
    const actor = await refreshed(w.tx, caller);
    const { owner } = await judge(w.tx, actor);
    const columns = { id: uuidv7(ctx.clock.now()), name: input.name, permissions: toJsonb(permissions) };
    await onDuplicate("role_name", [errorCode.nameUsed, roleReasons.nameTaken], () =>
      createOwned(ctx, w, roles, owner, columns),
    );
    await recordGifts(w.tx, actor, columns.id, {}, permissions);
    return answerOwned(ctx, w.tx, roles, actor, columns.id);
  });
}

/** Renames, hands over or replaces the permissions; omitted fields stay. */
export async function updateRole(ctx: Context, caller: Caller, id: string, change: RoleChange) {
  const permissions = change.permissions && withOwnView(change.permissions);
  const judge = async <Row extends Judgeable>(reader: Reader, actor: Caller, role: Row | null | undefined) => {
    const judged = await judgeChange(roles, reader, actor, role, change, {
      mayEdit: ({ id }, owner) =>
        refuseIf(whyNotEditRole(actor, { id, owner }), () =>
          id === actor.roleId ? roleReasons.own : roleReasons.edit(actor, owner),
        ),
      refer: async (row) => permissions && (await requireKnownRoles(reader, actor, permissions, row.permissions)),
      demand: (row) => permissions && requireWithinOwnRights(actor, permissions, row.permissions),
    });
    const { row, from, to } = judged;
    await requireFreeName(reader, (to ?? from).id, change.name ?? row.name, id);
    return judged;
  };
  await refuseAhead(ctx, caller, async () => judge(ctx.db, caller, await store.findRole(ctx.db, caller, id)));
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "change");
    const actor = await refreshed(w.tx, caller);
    const judged = await judge(w.tx, actor, await lockOwned(w.tx, roles, actor, id));
    const { row, to } = judged;
    const columns = {
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(permissions ? { permissions: toJsonb(permissions) } : {}),
    };
    const after = await onDuplicate("role_name", [errorCode.nameUsed, roleReasons.nameTaken], () =>
      changeOwned(ctx, w, roles, judged, columns),
    );
    if (permissions) {
      await recordGifts(w.tx, actor, id, row.permissions, permissions);
      await announceHolders(w, id, { viewScopeChanged: viewScopesDiffer(row.permissions, permissions) });
    }
    // Accounts are shown with the name of their role, to those who may see it.
    else if (to || after.name !== row.name) await announceHolders(w, id, null);
    return answerOwned(ctx, w.tx, roles, actor, id);
  });
}

/** Soft-deletes a role: its holders keep the id and the session, and may do nothing until they are given another one. */
export async function deleteRole(ctx: Context, caller: Caller, id: string): Promise<{ _id: string }> {
  const judge = <Row extends Judgeable>(reader: Reader, actor: Caller, role: Row | null | undefined) =>
    judgeDelete(roles, reader, actor, role, ({ id }, owner) =>
      refuseIf(whyNotDeleteRole(actor, { id, owner }), () =>
        id === actor.roleId ? roleReasons.own : roleReasons.remove(actor, owner),
      ),
    );
  await refuseAhead(ctx, caller, async () => judge(ctx.db, caller, await store.findRole(ctx.db, caller, id)));
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "change");
    const actor = await refreshed(w.tx, caller);
    const judged = await judge(w.tx, actor, await lockOwned(w.tx, roles, actor, id));
    const deleted = await deleteOwned(ctx, w, roles, judged);
    // Even the poorest role shows its holder their own account; without a role nothing is left.
    await announceHolders(w, id, { viewScopeChanged: true });
    return deleted;
  });
}

/**
 * The sensors that the account would see, and the accounts that might own them, among what the caller sees themselves.
 * Roles that the caller may not name (107) can't be counted either: that would reveal who holds them. Those that were in the
 * role before are taken as they are, but add nothing.
 */
export async function previewRole(
  ctx: Context,
  caller: Caller,
  id: string,
  { account, permissions }: { account: string; permissions: Permissions },
): Promise<{ accounts: number; sensors: number }> {
  const role = await store.findRole(ctx.db, caller, id);
  if (!role) throw new AppError(errorCode.notFound);
  const holder = (await findOwners(ctx.db, [account])).get(account);
  if (!holder || holder.isDeleted || !canView(caller, "owner", holder))
    throw new AppError(errorCode.invalidOwner, { field: "account" });
  await requireKnownRoles(ctx.db, caller, permissions, role.permissions);
  const sees = viewSet({ ...holder, roleId: id, permissions }, "sensor");
  const withRole = await nameableRoles(ctx.db, caller, sees.withRole);
  return store.countReach(ctx.db, caller, { ...holder, roleId: id }, { ...sees, withRole });
}

/** 109 when another role of the owner has the name. Of two at once the unique index finds the second. */
async function requireFreeName(reader: Reader, ownerId: string, name: string, exceptId: string | null): Promise<void> {
  if (await store.isNameTaken(reader, ownerId, name, exceptId))
    throw new AppError(errorCode.nameUsed, roleReasons.nameTaken);
}

/** 308 names the first scope that goes too far. */
function requireWithinOwnRights(actor: Caller, wanted: Permissions, before: Permissions): void {
  const scope = findExceedingScope(actor, wanted, before);
  if (scope !== null) throw new AppError(errorCode.roleTooPowerful, roleReasons.tooPowerful(scope));
}

/** The rows of the holders changed, and their rights unless `rights` is null. Very many are not notified of a name: it can wait. */
async function announceHolders(w: Write, roleId: string, rights: { viewScopeChanged: boolean } | null): Promise<void> {
  const holders = await store.holdersOf(w.tx, roleId, namedHolders + 1);
  if (holders.length === 0) return;
  const areMany = holders.length > namedHolders;
  if (rights) w.announce({ name: "rightsChanged", event: { accountIds: areMany ? "all" : holders, ...rights } });
  if (!areMany) for (const id of holders) announceAccount(w, "update", id);
}
