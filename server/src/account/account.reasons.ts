// Texts that explain refusals about accounts.
import type { RefusalDetails } from "@psp/contract/kit/refusal.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import type { NamedOwner } from "../owned/owned.reasons.ts";

export const accountReasons = {
  edit: (caller: Actor, account: NamedOwner) => cantTouch(caller, account, "edit"),
  remove: (caller: Actor, account: NamedOwner) => cantTouch(caller, account, "delete"),
  create: { reason: "Your role can't create accounts." },
  rootStays: { reason: "The root account can't be deleted." },
  /** `count` is null unless the caller may view all of these accounts. */
  hasAccountsBelow: (count: number | null) => ({
    reason:
      count === null
        ? "The account has accounts below it."
        : `The account has ${count} account${count === 1 ? "" : "s"} below it.`,
  }),
  notBelowItself: { reason: "An account can't be its own sub-account." },
  parentNotEditable: (parent: NamedOwner): RefusalDetails => ({
    reason: `You can't edit ${parent.name}, so you can't add sub-accounts to it.`,
    object: { type: "account", id: parent.id, name: parent.name },
  }),
  notBelowYou: ({ name }: { name: string }) => ({ reason: `${name} is not one of your sub-accounts.` }),
  isColleague: ({ name }: { name: string }) => ({ reason: `${name} is the account of a colleague.` }),
  nothingToReview: { reason: "This account is not waiting for approval." },
  notItsLogin: { reason: "The account has no login with this email address." },
  onlyOwnLogin: { reason: "The current password is only needed for your own account." },
  loginsFromAbove: { reason: "Only the account itself and its parent accounts can change its logins." },
  loginsWithMoreAccess: { reason: "This account has more access than yours." },
  loginsChanged: { reason: "The logins were changed a moment ago. Reload and try again." },
};

/** Contains the account's name, so the caller must be allowed to view the account. */
function cantTouch(caller: Actor, account: NamedOwner, what: string): RefusalDetails {
  return {
    reason: account.id === caller.id ? `You can't ${what} your own account.` : `You can't ${what} ${account.name}.`,
  };
}
