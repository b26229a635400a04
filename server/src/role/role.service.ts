// Use cases about roles: right, rule, transaction, announcement, in this order, always.
import { canChangeOwner, canCreateFor, tooPowerful } from "@psp/contract/permission/can.ts";
import { type Permissions, withOwnView } from "@psp/contract/permission/permissions.ts";
import type { Received } from "@psp/contract/kit/endpoint.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import { whyNotDeleteRole, whyNotEditRole } from "@psp/contract/permission/why-not.ts";
import type { createRole as createCall, listRoles as listCall } from "@psp/contract/role/role.api.ts";
import type { Role, RoleChange } from "@psp/contract/role/role.ts";
import type { IdReply } from "@psp/contract/kit/id-reply.ts";
import { ownerOf, requireNewOwner } from "../owned/owner.ts";
import { AppError, refuseIf } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import type { Reader, Tx } from "../db/database.ts";
import { arrayOrPage } from "../db/list.ts";
import { lockRights } from "../db/locks.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { bumped, checkVersion, onDuplicate, refuseAhead, type Write, write } from "../db/write.ts";
import { recordGifts } from "./gift.service.ts";
import { refreshed, requireKnownRoles, viewScopesDiffer } from "./rights.service.ts";
import { roleReasons } from "./role.reasons.ts";
import * as store from "./role.store.ts";
import { roleTrail, toRole } from "./role.wire.ts";

type Judged = Pick<store.RoleRow, "id" | "owner_id" | "permissions" | "version" | "name">;

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
): Promise<Role | IdReply> {
  const permissions = withOwnView(input.permissions ?? {});
  const judge = async (reader: Reader, actor: Caller) => {
    const owner = await requireNewOwner(reader, actor, input.owner);
    await requireKnownRoles(reader, actor, permissions, {});
    if (!canCreateFor(actor, "role", owner)) throw new AppError(303, roleReasons.create(actor, owner));
    requireWithinOwnRights(actor, permissions, {});
    await requireFreeName(reader, owner.id, input.name, null);
    return owner;
  };
  await refuseAhead(ctx, caller, () => judge(ctx.db, caller));
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "change");
    const actor = await refreshed(w.tx, caller);
    const owner = await judge(w.tx, actor);
    const id = uuidv7(ctx.clock.now());
    const role = { id, owner_id: owner.id, owner_path: owner.path, name: input.name, permissions };
    await onDuplicate("role_name", [109, roleReasons.nameTaken], () => store.insertRole(w.tx, role));
    await recordGifts(w.tx, actor, id, {}, permissions);
    w.audit({ action: "create", object: { type: "role", _id: id }, owner, after: roleTrail(role) });
    w.announce({
      name: "entityChanged",
      event: { type: "role", op: "create", id, ownerBefore: null, ownerAfter: owner.id },
    });
    return answer(ctx, w.tx, actor, id);
  });
}

/** Renames, hands over or replaces the permissions; omitted fields stay (decisions 3 and 5). */
export async function updateRole(
  ctx: Context,
  caller: Caller,
  id: string,
  change: RoleChange,
): Promise<Role | IdReply> {
  const permissions = change.permissions && withOwnView(change.permissions);
  const judge = async (reader: Reader, actor: Caller, role: Judged | null | undefined) => {
    if (!role) throw new AppError(105);
    const from = await ownerOf(reader, role.owner_id);
    refuseIf(whyNotEditRole(actor, { id: role.id, owner: from }), () =>
      role.id === actor.roleId ? roleReasons.own : roleReasons.edit(actor, from),
    );
    const to =
      change.owner !== undefined && change.owner !== from.id
        ? await requireNewOwner(reader, actor, change.owner)
        : null;
    if (permissions) await requireKnownRoles(reader, actor, permissions, role.permissions);
    if (to && !canChangeOwner(actor, "role", from, to)) throw new AppError(302, roleReasons.handOver(actor, from, to));
    if (permissions) requireWithinOwnRights(actor, permissions, role.permissions);
    checkVersion(caller, role.version);
    await requireFreeName(reader, to?.id ?? from.id, change.name ?? role.name, id);
    return { role, from, to };
  };
  await refuseAhead(ctx, caller, async () => judge(ctx.db, caller, await store.findRole(ctx.db, caller, id)));
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "change");
    const actor = await refreshed(w.tx, caller);
    const { role, from, to } = await judge(w.tx, actor, await store.lockRole(w.tx, actor, id));
    const after = await onDuplicate("role_name", [109, roleReasons.nameTaken], () =>
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
    if (permissions) await recordGifts(w.tx, actor, id, role.permissions, permissions);
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
  const judge = async (reader: Reader, actor: Caller, role: Judged | null | undefined) => {
    if (!role) throw new AppError(105);
    const owner = await ownerOf(reader, role.owner_id);
    refuseIf(whyNotDeleteRole(actor, { id: role.id, owner }), () =>
      role.id === actor.roleId ? roleReasons.own : roleReasons.remove(actor, owner),
    );
    checkVersion(caller, role.version);
    return { role, owner };
  };
  await refuseAhead(ctx, caller, async () => judge(ctx.db, caller, await store.findRole(ctx.db, caller, id)));
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "change");
    const actor = await refreshed(w.tx, caller);
    const { role, owner } = await judge(w.tx, actor, await store.lockRole(w.tx, actor, id));
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

/** 109 when another role of the owner has the name. Of two at once the unique index finds the second. */
async function requireFreeName(reader: Reader, ownerId: string, name: string, exceptId: string | null): Promise<void> {
  if (await store.isNameTaken(reader, ownerId, name, exceptId)) throw new AppError(109, roleReasons.nameTaken);
}

/** 308 names the first scope that goes too far. */
function requireWithinOwnRights(actor: Caller, wanted: Permissions, before: Permissions): void {
  const scope = tooPowerful(actor, wanted, before);
  if (scope !== null) throw new AppError(308, roleReasons.tooPowerful(scope));
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

async function answer(ctx: Context, tx: Tx, actor: Caller, id: string): Promise<Role | IdReply> {
  const row = await store.findRole(tx, actor, id);
  return row ? toRole(ctx, row) : { _id: id };
}
