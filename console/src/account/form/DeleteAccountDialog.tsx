// Asks before an account is deleted, over the list or, when people close their own, over its page; one's own ends with being
// signed out (AC-12).
import type { Account } from "@psp/contract/account/account.ts";
import { isRoot } from "@psp/contract/permission/can.ts";
import { useMutation } from "@tanstack/react-query";
import { useGo, useParam } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { DeleteDialog } from "../../entity/DeleteOwned.tsx";
import { useActor, useSession, useUser } from "../../session/session.tsx";
import { toOwner, useCan, useStandings } from "../../session/useCan.ts";
import { account as entity } from "../account.queries.ts";
import { accountText as text } from "../account.text.ts";
import { AccountEnding, NewOwner, useEnding } from "./AccountEnding.tsx";

type Deletable = {
  /** Undefined while it is being found out. */
  mayDelete?: boolean;
  /** Why not: the right, being root, or accounts below it. */
  why?: string;
};

/** `account` is undefined while it is loading. */
export function useDeletable(account: Pick<Account, "_id" | "parentAccounts" | "role"> | undefined): Deletable {
  const can = useCan();
  const { ownerOf, hasChildren, ready } = useStandings(account === undefined ? [] : [account._id]);
  if (account === undefined || !ready) return {};
  const owner = toOwner(account, ownerOf(account._id));
  if (can.deleteAccount(owner, hasChildren(account._id))) return { mayDelete: true };
  if (can.deleteAccount(owner, false)) return { mayDelete: false, why: text.hasChildren };
  return { mayDelete: false, why: isRoot(owner) ? text.rootStays : text.noDelete };
}

/** Deleting one's own signs out. */
function useDelete(id: string) {
  const onSuccess = entity.useRefresh();
  const { leaveBy } = useSession();
  const own = useActor().id === id;
  const remove = () => entity.remove(id);
  return useMutation({ mutationFn: own ? () => leaveBy(remove) : remove, ...(own ? {} : { onSuccess }) });
}

/** After one's own was deleted: the next person who signs in does not come back to this question. */
function useLeave(): () => void {
  const go = useGo();
  return () => go(paths.login, { query: "none", replace: true });
}

export function DeleteAccountDialog() {
  const id = useParam("id");
  const leave = useLeave();
  const remove = useDelete(id);
  const { data: account, error } = entity.useOne(id, remove.isIdle);
  const { mayDelete, why } = useDeletable(account);
  const name = account?.name ?? id;
  const own = id === useActor().id;
  const ending = useEnding(account ?? unknownAccount(id));
  return (
    <DeleteDialog
      found={account !== undefined}
      error={error}
      mayDelete={remove.isIdle ? mayDelete : true}
      remove={afterHandOver(remove, ending)}
      title={own ? text.deleteMyTitle : text.deleteTitle}
      question={<Question ending={ending}>{own ? text.deleteMyQuestion : text.deleteQuestion(name)}</Question>}
      fields={<NewOwner ending={ending} />}
      failed={text.deleteFailed}
      refused={why ?? text.noDelete}
      deleted={text.deleted(name)}
      back={paths.accounts}
      typeToConfirm={name}
      {...(own ? { onDeleted: leave } : {})}
    />
  );
}

export function CloseAccountDialog() {
  const id = useParam("id");
  const leave = useLeave();
  const user = useUser();
  const remove = useDelete(id);
  const { mayDelete, why } = useDeletable(user);
  const ending = useEnding(user);
  return (
    <DeleteDialog
      found
      error={null}
      mayDelete={id !== user._id ? false : remove.isIdle ? mayDelete : true}
      remove={afterHandOver(remove, ending)}
      title={text.closeTitle}
      question={<Question ending={ending}>{text.closeQuestion(user.name)}</Question>}
      fields={<NewOwner ending={ending} />}
      confirmLabel={text.closeButton}
      typeToConfirm={user.name}
      failed={text.deleteFailed}
      refused={why ?? text.noDelete}
      deleted={text.deleted(user.name)}
      back={paths.myAccount}
      onDeleted={leave}
    />
  );
}

/** While it is loading. */
const unknownAccount = (id: string) => ({ _id: id, credentials: [], parentAccounts: [], role: null });

type EndingState = ReturnType<typeof useEnding>;

function Question({ ending, children }: { ending: EndingState; children: string }) {
  return (
    <>
      <div>{children}</div>
      <AccountEnding ending={ending} />
    </>
  );
}

/** What could not be handed over keeps the account from being deleted. */
function afterHandOver({ isIdle, mutateAsync }: ReturnType<typeof useDelete>, { handOver }: EndingState) {
  return {
    isIdle,
    async mutateAsync() {
      await handOver();
      return mutateAsync();
    },
  };
}
