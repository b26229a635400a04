// Refusal texts shared by all owned objects. They name an object only to those who may view it.
import type { RefusalDetails } from "@psp/contract/kit/refusal.ts";
import { type Actor, canView, resolveChangeOwnerScopes } from "@psp/contract/permission/can.ts";
import type { OwnableType } from "@psp/contract/permission/permissions.ts";
import { contains, type Owner } from "@psp/contract/permission/scope.ts";

/** Why an undo skips an object. */
export const changedMeanwhile = "Changed meanwhile.";

export type NamedOwner = Owner & { name: string; isDeleted?: boolean };

/** Uses the text with the owner's name only if the caller may view the owner. */
export function ownerReason(
  caller: Actor,
  owner: NamedOwner,
  words: { named: (name: string) => string; unnamed: string },
): RefusalDetails {
  if (!canView(caller, "owner", owner)) return { reason: words.unnamed };
  const reason = words.named(owner.name);
  // A deleted account has no page.
  return owner.isDeleted ? { reason } : { reason, object: { type: "account", id: owner.id, name: owner.name } };
}

/** Texts for one kind of object. `one` and `many` are its singular and plural in texts; `type` is its name in rights. */
export function createOwnedReasons(type: OwnableType, { one, many }: { one: string; many: string }) {
  const cant = (caller: Actor, owner: NamedOwner, what: string): RefusalDetails =>
    owner.id === caller.id
      ? { reason: `You can't ${what} the ${many} of your own account.` }
      : ownerReason(caller, owner, {
          named: (name) => `The ${one} belongs to ${name}, whose ${many} you can't ${what}.`,
          unnamed: `The ${one} belongs to an account whose ${many} you can't ${what}.`,
        });
  /** For an account that is not the owner yet. */
  const cantFor = (caller: Actor, owner: NamedOwner, what: string): RefusalDetails =>
    owner.id === caller.id
      ? { reason: `You can't ${what} your own account.` }
      : ownerReason(caller, owner, {
          named: (name) => `You can't ${what} ${name}.`,
          unnamed: `You can't ${what} this account.`,
        });
  return {
    edit: (caller: Actor, owner: NamedOwner) => cant(caller, owner, "edit"),
    remove: (caller: Actor, owner: NamedOwner) => cant(caller, owner, "delete"),
    create: (caller: Actor, owner: NamedOwner) => cantFor(caller, owner, `create ${many} for`),
    /** For 302: the caller may not hand over these objects at all, or not to the new owner. */
    handOver: (caller: Actor, from: NamedOwner, to: NamedOwner) =>
      contains(resolveChangeOwnerScopes(caller, type).from, from)
        ? cantFor(caller, to, `hand ${many} over to`)
        : cant(caller, from, "hand over"),
    onlyOperator: { reason: "Only the operator grants licenses." },
  };
}
