// Why something about things that accounts own was refused, in plain words: the sentences that all of them share.
// A name is only shown to those who may view what bears it: elsewhere a sentence does without.
import type { RefusalDetails } from "@psp/contract/kit/refusal.ts";
import { type Actor, canView, changeOwnerSets } from "@psp/contract/permission/can.ts";
import type { OwnableType } from "@psp/contract/permission/permissions.ts";
import { contains, type Owner } from "@psp/contract/permission/scope.ts";

/** An account that a sentence may be about. */
export type NamedOwner = Owner & { name: string; isDeleted?: boolean };

/** One sentence for an owner that the caller may view, another for one that they may not. */
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

/** The sentences about things of this kind that belong to an account; `many` as in "whose sensors", `type` as rights call them. */
export function reasonsOfOwned(type: OwnableType, { one, many }: { one: string; many: string }) {
  /** What of the owner's things can't be done by the caller. */
  const cant = (caller: Actor, owner: NamedOwner, what: string): RefusalDetails =>
    owner.id === caller.id
      ? { reason: `You can't ${what} the ${many} of your own account.` }
      : ownerReason(caller, owner, {
          named: (name) => `The ${one} belongs to ${name}, whose ${many} you can't ${what}.`,
          unnamed: `The ${one} belongs to an account whose ${many} you can't ${what}.`,
        });
  /** What the caller can't do for or to an account that is no owner yet. */
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
    /** For 302: away from the current owner, or else to the new one. */
    handOver: (caller: Actor, from: NamedOwner, to: NamedOwner) =>
      contains(changeOwnerSets(caller, type).from, from)
        ? cantFor(caller, to, `hand ${many} over to`)
        : cant(caller, from, "hand over"),
    onlyOperator: { reason: "Only the operator grants licenses." },
  };
}
