// Account rules that several pages share (docs/rules/accounts.md#changing-logins).
import { type Account, registrationSteps } from "@psp/contract/account/account.ts";
import type { Actor } from "@psp/contract/permission/can.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { findExceedingReach, type Holder } from "@psp/contract/permission/reach.ts";
import { accountText } from "./account.text.ts";

export function awaitsReview(account: Pick<Account, "registrationInfo">): boolean {
  return account.registrationInfo.some(({ stepReached }) => stepReached === registrationSteps.toReview);
}

type Login = { email: string; step: number };

/** Logins with their registration step; logins created by an administrator have none and are complete. */
export function loginsOf(account: Pick<Account, "credentials" | "registrationInfo">): Login[] {
  return account.credentials.map(({ email }, index) => ({
    email,
    step: account.registrationInfo[index]?.stepReached ?? registrationSteps.complete,
  }));
}

const isComplete = ({ step }: Login) => step === registrationSteps.complete;

/** Why the logins of an account can't be changed at all, or undefined. */
export function loginsLockedReason(logins: readonly Login[]): string | undefined {
  return logins.length === 0 || logins.some(isComplete) ? undefined : accountText.noneCompleteReason;
}

/** Why another account's logins can't be changed (308). Without `permissions` of the account, the check is incomplete. */
export function loginsRefusalReason(
  actor: Actor,
  account: Holder,
  permissions: Permissions | undefined,
): string | undefined {
  if (account.id === actor.id) return undefined;
  if (!account.parentAccounts.includes(actor.id)) return accountText.loginsNotBelowReason;
  const hasMoreAccess = permissions && findExceedingReach(actor, permissions, account) !== null;
  return hasMoreAccess ? accountText.loginsStrongerReason : undefined;
}

/** Why this login can't be deleted, or undefined. `removed` are the emails already marked for deletion. */
export function loginDeletionRefusalReason(
  login: Login,
  logins: readonly Login[],
  removed: ReadonlySet<string>,
): string | undefined {
  if (!isComplete(login)) return accountText.incompleteReason;
  const others = logins.filter((one) => isComplete(one) && one.email !== login.email && !removed.has(one.email));
  return others.length === 0 ? accountText.onlyCompleteReason : undefined;
}

export type TreeNode = { account: Account; matches: boolean; children: TreeNode[] };

/** Search hits as a tree below their visible ancestors. Siblings keep the order of `found`. */
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
