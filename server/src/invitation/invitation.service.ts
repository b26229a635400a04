// Invites a colleague: makes the account and, unless there is an equal one, the role (docs/rules/accounts.md#colleagues).
import { errorCode } from "@psp/contract/errors.ts";
import type { Invitation, NewInvitation } from "@psp/contract/invitation/invitation.ts";
import { canCreateAccount } from "@psp/contract/permission/can.ts";
import { withOwnAccountView } from "@psp/contract/permission/permissions.ts";
import { accessNames, findMissingRight, limitForColleague } from "@psp/contract/permission/templates.ts";
import {
  insertInvitedAccounts,
  type NewParent,
  requireAccountCreator,
  requireExtendable,
} from "../account/account.invitation.service.ts";
import { accountReasons } from "../account/account.reasons.ts";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { lockRights } from "../db/locks.ts";
import { checkBeforeWrite, onDuplicate, type UnitOfWork, write } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { reloadCaller } from "../role/rights.service.ts";
import { roleReasons } from "../role/role.reasons.ts";
import { addRole, findEqualRole, findFreeName, requireRoleCreator } from "../role/role.service.ts";

type Wanted = { name: string; owner: string; permissions: ReturnType<typeof withOwnAccountView> };

export async function inviteColleague(ctx: Context, caller: Caller, input: NewInvitation): Promise<Invitation> {
  await checkBeforeWrite(ctx, caller, () => planInvitation(ctx.db, caller, input));
  return write(ctx, caller, async (w) => {
    // Roles change here, so concurrent invitations wait and find the role of the first.
    await lockRights(w.tx, "change");
    const actor = await reloadCaller(w.tx, caller);
    const { parent, wanted } = await planInvitation(w.tx, actor, input);
    const role = await getRole(ctx, w, actor, wanted);
    const creator = await requireAccountCreator(w.tx, caller, role._id, parent);
    const name = input.email.slice(0, maxNameLength);
    const people = [{ name, email: input.email }];
    const made = () => insertInvitedAccounts(ctx, w, creator, role._id, people, { kind: "colleague" });
    const [id = ""] = await onDuplicate("credential_email", errorCode.emailUsed, made);
    return { account: { _id: id, name }, role };
  });
}

/** Until the person has registered, the account has the address as its name; addresses can be longer than names. */
const maxNameLength = 200;

/** Throws 303, 103 and 300; `parent` is null for the caller's account. */
async function planInvitation(
  reader: Reader,
  actor: Caller,
  { access, account }: NewInvitation,
): Promise<{ parent: NewParent | null; wanted: Wanted }> {
  const isOwn = account === undefined || account === actor.id;
  const parent = isOwn ? null : await requireExtendable(reader, actor, account);
  if (!canCreateAccount(actor)) throw new AppError(errorCode.noCreate, accountReasons.create);
  const seen = isOwn ? "own" : "below";
  const missing = findMissingRight(actor, access, seen);
  if (missing !== null) throw new AppError(errorCode.noAssignRole, roleReasons.tooPowerful(missing));
  const permissions = withOwnAccountView(limitForColleague(actor, access, seen).permissions);
  const wanted = { name: accessNames[access], owner: parent?.id ?? actor.id, permissions };
  await requireRoleCreator(reader, actor, wanted);
  return { parent, wanted };
}

async function getRole(ctx: Context, w: UnitOfWork, actor: Caller, wanted: Wanted): Promise<Invitation["role"]> {
  const equal = await findEqualRole(w.tx, wanted);
  if (equal) return { _id: equal.id, name: equal.name };
  const name = await findFreeName(w.tx, wanted.owner, wanted.name);
  return { _id: await addRole(ctx, w, actor, { ...wanted, name }), name };
}
