// Facts about accounts that the pages share: who awaits review, which logins may change (docs/rules/accounts.md#changing-logins).
import { type Account, registrationSteps } from "@psp/contract/account/account.ts";
import { type Actor, tooPowerful } from "@psp/contract/permission/can.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { accountText } from "./account.text.ts";

/** At least one credential waits for approval (step -1). */
export function awaitsReview(account: Pick<Account, "registrationInfo">): boolean {
  return account.registrationInfo.some(({ stepReached }) => stepReached === registrationSteps.toReview);
}

type Login = { email: string; step: number };

/** Logins with their registration step; one without registration was made by an administrator and is complete. */
export function loginsOf(account: Pick<Account, "credentials" | "registrationInfo">): Login[] {
  return account.credentials.map(({ email }, index) => ({
    email,
    step: account.registrationInfo[index]?.stepReached ?? registrationSteps.complete,
  }));
}

const isComplete = ({ step }: Login) => step === registrationSteps.complete;

/** Why no credential may be added or changed at all, or undefined. */
export function whyLocked(logins: readonly Login[]): string | undefined {
  return logins.length === 0 || logins.some(isComplete) ? undefined : accountText.noneCompleteReason;
}

/** Why somebody else's logins are not the actor's to change, as far as the console knows the role (308). */
export function whyOutOfReach(
  actor: Actor,
  account: Pick<Account, "_id" | "parentAccounts">,
  permissions: Permissions | undefined,
): string | undefined {
  if (account._id === actor.id) return undefined;
  if (!account.parentAccounts.includes(actor.id)) return accountText.loginsNotBelowReason;
  return permissions && tooPowerful(actor, permissions) !== null ? accountText.loginsStrongerReason : undefined;
}

/** Why this login can't be deleted, or undefined; `removed` are those that are going to be deleted already. */
export function whyKept(login: Login, logins: readonly Login[], removed: ReadonlySet<string>): string | undefined {
  if (!isComplete(login)) return accountText.incompleteReason;
  const others = logins.filter((one) => isComplete(one) && one.email !== login.email && !removed.has(one.email));
  return others.length === 0 ? accountText.onlyCompleteReason : undefined;
}

export type TreeNode = { account: Account; matches: boolean; children: TreeNode[] };

/**
 * The found accounts below those of their ancestors that may be seen, so that a hit shows where it hangs. `found` keeps
 * its order among siblings.
 */
export function treeOf(found: readonly Account[], ancestors: readonly Account[]): TreeNode[] {
  const nodes = new Map<string, TreeNode>();
  for (const account of found) nodes.set(account._id, { account, matches: true, children: [] });
  for (const account of ancestors)
    if (!nodes.has(account._id)) nodes.set(account._id, { account, matches: false, children: [] });
  const roots: TreeNode[] = [];
  for (const node of nodes.values()) {
    const above = node.account.parentAccounts.toReversed().find((id) => nodes.has(id));
    (above === undefined ? roots : (nodes.get(above)?.children ?? roots)).push(node);
  }
  return roots;
}
