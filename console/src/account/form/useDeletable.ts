// Whether an account can be deleted, and in words why not: the right, being root, or accounts below it (spec 1 §6).
import type { Account } from "@psp/contract/account/account.ts";
import { isRoot } from "@psp/contract/permission/can.ts";
import { toOwner, useCan, useStandings } from "../../session/useCan.ts";
import { accountText } from "../account.text.ts";

type Deletable = {
  /** Undefined while it is being found out. */
  mayDelete: boolean | undefined;
  why: string | undefined;
};

/** `account` is undefined while it is loading. */
export function useDeletable(account: Pick<Account, "_id" | "parentAccounts" | "role"> | undefined): Deletable {
  const can = useCan();
  const { ownerOf, hasChildren, ready } = useStandings(account === undefined ? [] : [account._id]);
  if (account === undefined || !ready) return { mayDelete: undefined, why: undefined };
  const owner = toOwner(account, ownerOf(account._id));
  if (can.deleteAccount(owner, hasChildren(account._id))) return { mayDelete: true, why: undefined };
  if (can.deleteAccount(owner, false)) return { mayDelete: false, why: accountText.hasChildren };
  return { mayDelete: false, why: isRoot(owner) ? accountText.rootStays : accountText.noDelete };
}
