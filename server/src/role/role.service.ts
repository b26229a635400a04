// Use cases about roles: right, rule, transaction, announcement, in this order, always.
import { canChangeOwner, canCreateFor, canDelete, canEdit, tooPowerful } from "@psp/contract/permission/can.ts";
import { type Permissions, scopesOf, withOwnView } from "@psp/contract/permission/permissions.ts";
import type { Received } from "@psp/contract/kit/endpoint.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import type { createRole as createCall, listRoles as listCall } from "@psp/contract/role/role.api.ts";
import type { Role, RoleChange } from "@psp/contract/role/role.ts";
import { ownerOf, requireNewOwner } from "../account/account.owner.ts";
import { AppError } from "../app-error.ts";
import type { Caller } from "../caller.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { arrayOrPage } from "../db/list.ts";
import { lockRights } from "../db/locks.ts";
import { uuidv7 } from "../db/uuid.ts";
import { bumped, checkVersion, onDuplicate, type Write, write } from "../db/write.ts";
import { refreshed, viewScopesDiffer } from "./rights.service.ts";
import * as store from "./role.store.ts";
import { roleTrail, toRole } from "./role.wire.ts";

/** With more holders than this, everybody is told to look again instead of each by name. */
const namedHolders = 1000;

/** The list as an array, or a page when a total was asked for (decisions 3). */
export async function listRoles(ctx: Context, caller: Caller, query: Received<typeof listCall>["query"]) {
  const { skip = 0, includeTotals, includeDeleted, sortBy, sortDesc, ...filter } = query;
  const limit = query.limit ?? (includeTotals ? ctx.config.pageSize : null);
  const conditions = store.roleConditions(caller, filter, includeDeleted);
  const [rows, total] = await Promise.all([
    store.findRolePage(ctx.db, conditions, sortKeys({ sortBy, sortDesc }), { skip, limit }),
    includeTotals ? store.countRoles(ctx.db, conditions) : undefined,
  ]);
  return arrayOrPage(
    rows.map((row) => toRole(ctx, row)),
    total,
  );
}

/** One visible role; what may not be seen is not there (105). */
export async function getRole(ctx: Context, caller: Caller, id: string): Promise<Role> {
  const row = await store.findRole(ctx.db, caller, id);
  if (!row) throw new AppError(105);
  return toRole(ctx, row);
}

/** Makes a role for an account; nobody gives more than they have (308). */
export async function createRole(
  ctx: Context,
  caller: Caller,
  input: Received<typeof createCall>["body"],
): Promise<Role> {
  const permissions = withOwnView(input.permissions ?? {});
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "change");
    const actor = await refreshed(w.tx, caller);
    const owner = await requireNewOwner(w.tx, actor, input.owner);
    await requireKnownRoles(w.tx, actor, permissions, {});
    if (!canCreateFor(actor, "role", owner)) throw new AppError(303);
    requireWithinOwnRights(actor, permissions, {});
    const id = uuidv7(ctx.clock.now());
    const role = { id, owner_id: owner.id, owner_path: owner.path, name: input.name, permissions };
    await onDuplicate("role_name", 109, () => store.insertRole(w.tx, role));
    w.audit({ action: "create", object: { type: "role", _id: id }, owner, after: roleTrail(role) });
    w.announce({
      name: "entityChanged",
      event: { type: "role", op: "create", id, ownerBefore: null, ownerAfter: owner.id },
    });
    return answer(ctx, w.tx, actor, id);
  });
}

/** Renames, hands over or replaces the permissions; omitted fields stay (decisions 3 and 5). */
export async function updateRole(ctx: Context, caller: Caller, id: string, change: RoleChange): Promise<Role> {
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "change");
    const actor = await refreshed(w.tx, caller);
    const role = await store.lockRole(w.tx, actor, id);
    if (!role) throw new AppError(105);
    const from = await ownerOf(w.tx, role.owner_id);
    // What one holds oneself is out of reach, whatever the scopes say.
    if (role.id === actor.roleId || !canEdit(actor, "role", from)) throw new AppError(305);
    const to =
      change.owner !== undefined && change.owner !== from.id ? await requireNewOwner(w.tx, actor, change.owner) : null;
    const permissions = change.permissions && withOwnView(change.permissions);
    if (permissions) await requireKnownRoles(w.tx, actor, permissions, role.permissions);
    if (to && !canChangeOwner(actor, "role", from, to)) throw new AppError(302);
    if (permissions) requireWithinOwnRights(actor, permissions, role.permissions);
    checkVersion(caller, role.version);

    const after = await onDuplicate("role_name", 109, () =>
      w.tx
        .updateTable("role")
        .set({
          ...bumped(ctx),
          ...(change.name === undefined ? {} : { name: change.name }),
          ...(to ? { owner_id: to.id, owner_path: to.path } : {}),
          ...(permissions ? { permissions: JSON.stringify(permissions) } : {}),
        })
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirstOrThrow(),
    );
    const owner = { id: after.owner_id, path: after.owner_path };
    w.audit({
      action: "update",
      object: { type: "role", _id: id },
      owner,
      before: roleTrail(role),
      after: roleTrail(after),
    });
    w.announce({
      name: "entityChanged",
      event: { type: "role", op: "update", id, ownerBefore: from.id, ownerAfter: owner.id },
    });
    if (permissions) await tellHolders(w, id, viewScopesDiffer(role.permissions, permissions));
    // Accounts are shown with the name of their role, to those who may see it.
    else if (to || after.name !== role.name) await tellOfHolders(w, id);
    return answer(ctx, w.tx, actor, id);
  });
}

/** Soft-deletes a role: its holders keep the id and the session, and may do nothing until they are given another one. */
export async function deleteRole(ctx: Context, caller: Caller, id: string): Promise<{ _id: string }> {
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "change");
    const actor = await refreshed(w.tx, caller);
    const role = await store.lockRole(w.tx, actor, id);
    if (!role) throw new AppError(105);
    const owner = await ownerOf(w.tx, role.owner_id);
    if (role.id === actor.roleId) throw new AppError(304, { reason: "This is your own role" });
    if (!canDelete(actor, "role", owner)) throw new AppError(304);
    checkVersion(caller, role.version);
    await w.tx
      .updateTable("role")
      .set({ ...bumped(ctx), is_deleted: true })
      .where("id", "=", id)
      .execute();
    w.audit({ action: "delete", object: { type: "role", _id: id }, owner, before: roleTrail(role) });
    w.announce({
      name: "entityChanged",
      event: { type: "role", op: "delete", id, ownerBefore: owner.id, ownerAfter: owner.id },
    });
    // Even the poorest role shows its holder the own account; without a role nothing is left.
    await tellHolders(w, id, true);
    return { _id: id };
  });
}

/** 308 names the first scope that goes too far. */
function requireWithinOwnRights(actor: Caller, wanted: Permissions, before: Permissions): void {
  const scope = tooPowerful(actor, wanted, before);
  if (scope !== null) throw new AppError(308, { scope });
}

/** Roles named inside scopes must exist and be visible, unless they stood there before or in the actor's own scope (107). */
async function requireKnownRoles(tx: Tx, actor: Caller, wanted: Permissions, before: Permissions): Promise<void> {
  const named = (permissions: Permissions) => scopesOf(permissions).flatMap(({ scope }) => scope?.roles ?? []);
  const given = new Set([...named(before), ...named(actor.permissions ?? {})]);
  const unknown = [...new Set(named(wanted))].filter((id) => !given.has(id));
  const visible = await store.visibleRoleIds(tx, actor, unknown);
  const missing = unknown.find((id) => !visible.has(id));
  if (missing !== undefined) throw new AppError(107, { field: "permissions", role: missing });
}

/** Whoever holds the role looks at their rights anew, and their rows on the wire changed. */
async function tellHolders(w: Write, roleId: string, viewScopeChanged: boolean): Promise<void> {
  const holders = await store.holdersOf(w.tx, roleId, namedHolders + 1);
  if (holders.length === 0) return;
  const accountIds = holders.length > namedHolders ? "all" : holders;
  w.announce({ name: "rightsChanged", event: { accountIds, viewScopeChanged } });
  if (accountIds !== "all") announceAccounts(w, accountIds);
}

/** The rows of the holders changed, but nobody's rights. Of very many nobody is told: a name can wait. */
async function tellOfHolders(w: Write, roleId: string): Promise<void> {
  const holders = await store.holdersOf(w.tx, roleId, namedHolders + 1);
  if (holders.length <= namedHolders) announceAccounts(w, holders);
}

function announceAccounts(w: Write, ids: readonly string[]): void {
  for (const id of ids) {
    w.announce({
      name: "entityChanged",
      event: { type: "account", op: "update", id, ownerBefore: id, ownerAfter: id },
    });
  }
}

async function answer(ctx: Context, tx: Tx, actor: Caller, id: string): Promise<Role> {
  const row = await store.findRole(tx, actor, id);
  return row ? toRole(ctx, row) : ({ _id: id } as Role);
}
