// Texts that explain refusals about accounts.
import type { RefusalDetails } from "@psp/contract/kit/refusal.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import type { NamedOwner } from "../owned/owned.reasons.ts";

export const accountReasons = {
  edit: (caller: Actor, account: NamedOwner) => cantTouch(caller, account, "edit"),
  remove: (caller: Actor, account: NamedOwner) => cantTouch(caller, account, "delete"),
  create: { reason: "Your role can't create accounts." },
  rootStays: { reason: "The root account can't be deleted." },
  /** `count` only if the caller may view all of them. */
  hasAccountsBelow: (count: number | null) => ({
    reason:
      count === null
        ? "The account has accounts below it."
        : `The account has ${count} account${count === 1 ? "" : "s"} below it.`,
  }),
  notBelowItself: { reason: "An account can't hang below itself." },
  parentNotEditable: (parent: NamedOwner): RefusalDetails => ({
    reason: `You can't edit ${parent.name}, so nothing can be put below it.`,
    object: { type: "account", id: parent.id, name: parent.name },
  }),
  nothingToReview: { reason: "No registration waits for a review." },
  notItsLogin: { reason: "The account has no login with this address." },
  onlyOwnLogin: { reason: "The present password is asked for on one's own account only." },
  loginsFromAbove: { reason: "Logins are changed by the account itself and by those above it." },
  loginsOfMightier: { reason: "The account's role has more permissions than your own." },
  loginsChanged: { reason: "The logins have changed a moment ago." },
};

/** Only for an account that the caller sees. */
function cantTouch(caller: Actor, account: NamedOwner, what: string): RefusalDetails {
  return {
    reason: account.id === caller.id ? `You can't ${what} your own account.` : `You can't ${what} ${account.name}.`,
  };
}
