// Texts that explain refusals about roles.
import type { RefusalDetails } from "@psp/contract/kit/refusal.ts";
import { getRightName } from "@psp/contract/permission/right-names.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import { type NamedOwner, createOwnedReasons } from "../owned/owned.reasons.ts";

export const roleReasons = {
  ...createOwnedReasons("role", { one: "role", many: "roles" }),
  own: { reason: "This is your own role." },
  /** For 300 and 308: the first scope beyond the caller's own. */
  tooPowerful: (scope: string) => ({
    scope,
    reason: `You can't give more access than your own role has: ${getRightName(scope)}.`,
  }),
  /** For 300: the first right with which the receiver would reach more than the caller. A null receiver is a new account. */
  reachesMore: (caller: Actor, scope: string, receiver: NamedOwner | null): RefusalDetails & { scope: string } => {
    const who = receiver === null ? "a sub-account" : receiver.id === caller.id ? "your account" : receiver.name;
    const than = receiver?.id === caller.id ? "now" : "you";
    return { scope, reason: `With this role, ${who} would have more access than ${than}: ${getRightName(scope)}.` };
  },
  /** For 308 after an edit of a role. A null holder is hidden from the caller. */
  holderReachesMore: (scope: string, holder: NamedAccount | null) => ({
    scope,
    ...nameAccount(holder, (name) => `${name} with this role would have more access than you: ${getRightName(scope)}.`),
  }),
  /** For 308 after a move. */
  movedReachesMore: (scope: string, holder: NamedAccount | null) => ({
    scope,
    ...nameAccount(
      holder,
      (name) => `${name} at its new position would have more access than you: ${getRightName(scope)}.`,
    ),
  }),
  /** For 300. A null receiver is an account that does not exist yet. */
  assign: (caller: Actor, receiver: NamedOwner | null): RefusalDetails =>
    receiver === null
      ? { reason: "You can't assign roles to sub-accounts." }
      : { reason: `You can't assign roles to ${receiver.id === caller.id ? "your own account" : receiver.name}.` },
  /** For 109, and only if the caller may create or keep roles for the owner. */
  nameTaken: { reason: "The owner already has a role with this name." },
};

type NamedAccount = { id: string; name: string };

function nameAccount(account: NamedAccount | null, sentence: (name: string) => string): RefusalDetails {
  if (account === null) return { reason: sentence("An account") };
  return { reason: sentence(account.name), object: { type: "account", id: account.id, name: account.name } };
}
