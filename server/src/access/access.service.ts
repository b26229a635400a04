// Explains who may do what with an object, revealing no more than the caller may view (ADR 0008).
import type { Access, getAccess } from "@psp/contract/access/access.api.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { filterUuids } from "@psp/contract/kit/ids.ts";
import { parseMac } from "@psp/contract/kit/mac.ts";
import { type AccessObject, explainRights, type AccessType } from "@psp/contract/permission/access.ts";
import { canView } from "@psp/contract/permission/can.ts";
import { hasAccountsBelow } from "../account/account.service.ts";
import type { Context } from "../context.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { findOwners, getOwner, type OwnerWithPath } from "../owned/owner.ts";
import { getVisibleRole } from "../role/rights.service.ts";

type Owned = { _id: string; name?: string; owner: { _id: string } };
type Find<Wire> = (caller: Caller, id: string) => Promise<Wire>;
/** Each function finds an object in the caller's view, or throws 105. */
export type Finders = { sensor: Find<Owned>; measurement: Find<Owned>; role: Find<Owned>; artifact: Find<Firmware> };

/** Throws 105 unless account and object are in the caller's view. */
export async function explainAccess(
  ctx: Context,
  caller: Caller,
  { account: accountId, type, id }: HandlerInput<typeof getAccess>["query"],
  finders: Finders,
): Promise<Access> {
  const account = await requireAccount(ctx, caller, accountId);
  const { object, shown, owner } = await findObject(ctx, caller, finders, { type, id });
  const role = await getVisibleRole(ctx.db, caller, account);
  const rights = explainRights({ ...account, permissions: role.permissions }, object, {
    role: role.name,
    owner: canView(caller, "owner", owner) ? owner.name : null,
    roles: role.names,
    isReader: account.id === caller.id,
  });
  return { account: { _id: account.id, name: account.name }, object: shown, rights };
}

async function requireAccount(ctx: Context, caller: Caller, id: string): Promise<OwnerWithPath> {
  const asked = id.toLowerCase();
  const account = (await findOwners(ctx.db, filterUuids([asked]))).get(asked);
  if (!account || account.isDeleted || !canView(caller, "owner", account)) throw new AppError(errorCode.notFound);
  return account;
}

async function findObject(
  ctx: Context,
  caller: Caller,
  finders: Finders,
  { type, id }: { type: AccessType; id: string },
): Promise<{ object: AccessObject; shown: { _id: string; name: string }; owner: OwnerWithPath }> {
  if (type === "owner") {
    const owner = await requireAccount(ctx, caller, id);
    const hasChildren = await hasAccountsBelow(ctx.db, owner.id);
    return { object: { type, owner, hasChildren }, shown: { _id: owner.id, name: owner.name }, owner };
  }
  const asked = type === "sensor" ? parseMac(id) : filterUuids([id.toLowerCase()])[0];
  if (!asked) throw new AppError(errorCode.notFound);
  if (type === "artifact") {
    const { _id, name, objPerm, owner: at } = await finders.artifact(caller, asked);
    const owner = await getOwner(ctx.db, at._id);
    return { object: { type, owner, objPerm }, shown: { _id, name }, owner };
  }
  const { _id, name = _id, owner: at } = await finders[type](caller, asked);
  const owner = await getOwner(ctx.db, at._id);
  return { object: type === "role" ? { type, id: _id, owner } : { type, owner }, shown: { _id, name }, owner };
}
