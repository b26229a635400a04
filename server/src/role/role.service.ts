// Use cases of roles; each checks rights and rules, writes in a transaction, and publishes.
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { canView, findExceedingScope, resolveViewScope } from "@psp/contract/permission/can.ts";
import { type Permissions, withOwnAccountView } from "@psp/contract/permission/permissions.ts";
import { findRoleDeletionDenial, findRoleEditDenial } from "@psp/contract/permission/why-not.ts";
import type { createRole as createCall, listRoles as listCall } from "@psp/contract/role/role.api.ts";
import type { RoleChange } from "@psp/contract/role/role.ts";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { readArrayOrPage, countRows } from "../db/list.ts";
import { lockRights } from "../db/locks.ts";
import { onDuplicate, checkBeforeWrite, type UnitOfWork, write } from "../db/write.ts";
import { AppError, throwIfDenied } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { uuidv7 } from "../kit/uuid.ts";
import {
  publishAccount,
  toOwnedResponse,
  changeOwned,
  createOwned,
  deleteOwned,
  checkChange,
  checkDelete,
  checkCreate,
} from "../owned/change.ts";
import { lockOwned } from "../owned/owned.store.ts";
import { findOwners } from "../owned/owner.ts";
import { recordGifts } from "./gift.service.ts";
import { findNameableRoles, reloadCaller, requireKnownRoles, haveViewScopesChanged } from "./rights.service.ts";
import { requireHoldersWithinReach } from "./reach.service.ts";
import { roles } from "./role.noun.ts";
import { roleReasons } from "./role.reasons.ts";
import * as store from "./role.store.ts";
import { toJsonb } from "../db/storable.ts";

type Judgeable = Pick<store.RoleRow, "id" | "owner_id" | "permissions" | "version" | "name">;

/** Up to this many holders get an event each; with more, all clients reload. */
const namedHolders = 1000;

/** Returns an array, or a page with the total if one was requested. */
export async function listRoles(ctx: Context, caller: Caller, query: HandlerInput<typeof listCall>["query"]) {
  const conditions = store.roleConditions(caller, query, query.includeDeleted);
  return readArrayOrPage(
    query,
    query.includeTotals ? ctx.config.pageSize : null,
    async (sort, part) =>
      (await store.findRolePage(ctx.db, conditions, sort, part)).map((row) => roles.toWire(ctx, row)),
    () => countRows(ctx.db, "role", conditions),
  );
}

type NewRole = { name: string; owner: string; permissions: Permissions };

/** Requires the right to create a role with these permissions for this owner: 103, 107, 303, 308. */
export const requireRoleCreator = (reader: Reader, actor: Caller, { owner, permissions }: Omit<NewRole, "name">) =>
  checkCreate(roles, reader, actor, owner, {
    refer: () => requireKnownRoles(reader, actor, permissions, {}),
    demand: () => requireWithinOwnRights(actor, permissions, {}),
  });

async function checkNewRole(reader: Reader, actor: Caller, input: NewRole) {
  const { owner } = await requireRoleCreator(reader, actor, input);
  await requireFreeName(reader, owner.id, input.name, null);
  return owner;
}

/** Creates a role in a transaction that has locked the rights for a change. Throws 308 for permissions beyond the actor's own. */
export async function addRole(ctx: Context, w: UnitOfWork, actor: Caller, input: NewRole): Promise<string> {
  const owner = await checkNewRole(w.tx, actor, input);
  const columns = { id: uuidv7(ctx.clock.now()), name: input.name, permissions: toJsonb(input.permissions) };
  await onDuplicate("role_name", [errorCode.nameUsed, roleReasons.nameTaken], () =>
    createOwned(ctx, w, roles, owner, columns),
  );
  await recordGifts(w.tx, actor, columns.id, {}, input.permissions);
  return columns.id;
}

export async function createRole(ctx: Context, caller: Caller, body: HandlerInput<typeof createCall>["body"]) {
  const input = { ...body, permissions: withOwnAccountView(body.permissions ?? {}) };
  await checkBeforeWrite(ctx, caller, () => checkNewRole(ctx.db, caller, input));
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "change");
    const actor = await reloadCaller(w.tx, caller);
    return toOwnedResponse(ctx, w.tx, roles, actor, await addRole(ctx, w, actor, input));
  });
}

/** A role of this owner with exactly these permissions, preferably with this name. */
export async function findEqualRole(reader: Reader, { name, owner, permissions }: NewRole) {
  return store.findEqualRole(reader, owner, withOwnAccountView(permissions), name);
}

/** The name, with a number if another role of the owner has it: Viewer, Viewer 2, Viewer 3. */
export async function findFreeName(reader: Reader, ownerId: string, name: string): Promise<string> {
  return store.findFreeName(reader, ownerId, name);
}

/** Renames, changes the owner or replaces the permissions; omitted fields stay. */
export async function updateRole(ctx: Context, caller: Caller, id: string, change: RoleChange) {
  const permissions = change.permissions && withOwnAccountView(change.permissions);
  const judge = async <Row extends Judgeable>(reader: Reader, actor: Caller, role: Row | null | undefined) => {
    const judged = await checkChange(roles, reader, actor, role, change, {
      mayEdit: ({ id }, owner) =>
        throwIfDenied(findRoleEditDenial(actor, { id, owner }), () =>
          id === actor.roleId ? roleReasons.own : roleReasons.edit(actor, owner),
        ),
      refer: async (row) => permissions && (await requireKnownRoles(reader, actor, permissions, row.permissions)),
      demand: (row) => permissions && requireWithinOwnRights(actor, permissions, row.permissions),
    });
    const { row, from, to } = judged;
    await requireFreeName(reader, (to ?? from).id, change.name ?? row.name, id);
    return judged;
  };
  await checkBeforeWrite(ctx, caller, async () => judge(ctx.db, caller, await store.findRole(ctx.db, caller, id)));
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "change");
    const actor = await reloadCaller(w.tx, caller);
    const judged = await judge(w.tx, actor, await lockOwned(w.tx, roles, actor, id));
    const { row, to } = judged;
    if (permissions) await requireHoldersWithinReach(w.tx, actor, id, { wanted: permissions, before: row.permissions });
    const columns = {
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(permissions ? { permissions: toJsonb(permissions) } : {}),
    };
    const after = await onDuplicate("role_name", [errorCode.nameUsed, roleReasons.nameTaken], () =>
      changeOwned(ctx, w, roles, judged, columns),
    );
    if (permissions) {
      await recordGifts(w.tx, actor, id, row.permissions, permissions);
      await publishHolders(w, id, { viewScopeChanged: haveViewScopesChanged(row.permissions, permissions) });
    }
    // Accounts are displayed with the name of their role.
    else if (to || after.name !== row.name) await publishHolders(w, id, null);
    return toOwnedResponse(ctx, w.tx, roles, actor, id);
  });
}

/** Soft-deletes a role: its holders keep their sessions but lose all rights until they get another role. */
export async function deleteRole(ctx: Context, caller: Caller, id: string): Promise<{ _id: string }> {
  const judge = <Row extends Judgeable>(reader: Reader, actor: Caller, role: Row | null | undefined) =>
    checkDelete(roles, reader, actor, role, ({ id }, owner) =>
      throwIfDenied(findRoleDeletionDenial(actor, { id, owner }), () =>
        id === actor.roleId ? roleReasons.own : roleReasons.remove(actor, owner),
      ),
    );
  await checkBeforeWrite(ctx, caller, async () => judge(ctx.db, caller, await store.findRole(ctx.db, caller, id)));
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "change");
    const actor = await reloadCaller(w.tx, caller);
    const judged = await judge(w.tx, actor, await lockOwned(w.tx, roles, actor, id));
    const deleted = await deleteOwned(ctx, w, roles, judged);
    // Without a role, holders can't even view their own account, so their view scope changes.
    await publishHolders(w, id, { viewScopeChanged: true });
    return deleted;
  });
}

/**
 * Counts the sensors that the account would see and their possible owners, limited to the caller's own view. Throws 107
 * for roles that the caller may not name, because counts would reveal their holders. Such roles are accepted if the
 * previewed role already names them, but they add nothing to the counts.
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
  const sees = resolveViewScope({ ...holder, roleId: id, permissions }, "sensor");
  const withRole = await findNameableRoles(ctx.db, caller, sees.withRole);
  return store.countReach(ctx.db, caller, { ...holder, roleId: id }, { ...sees, withRole });
}

/** Throws 109 if another role of the owner has this name. A unique index catches concurrent requests. */
async function requireFreeName(reader: Reader, ownerId: string, name: string, exceptId: string | null): Promise<void> {
  if (await store.isNameTaken(reader, ownerId, name, exceptId))
    throw new AppError(errorCode.nameUsed, roleReasons.nameTaken);
}

function requireWithinOwnRights(actor: Caller, wanted: Permissions, before: Permissions): void {
  const scope = findExceedingScope(actor, wanted, before);
  if (scope !== null) throw new AppError(errorCode.roleTooPowerful, roleReasons.tooPowerful(scope));
}

/**
 * Publishes that the holders' rows changed and, unless `rights` is null, that their rights changed. A new name alone is
 * not published if there are very many holders.
 */
async function publishHolders(
  w: UnitOfWork,
  roleId: string,
  rights: { viewScopeChanged: boolean } | null,
): Promise<void> {
  const holders = await store.findHolders(w.tx, roleId, namedHolders + 1);
  if (holders.length === 0) return;
  const areMany = holders.length > namedHolders;
  if (rights) w.announce({ name: "rightsChanged", event: { accountIds: areMany ? "all" : holders, ...rights } });
  if (!areMany) for (const id of holders) publishAccount(w, "update", id);
}
