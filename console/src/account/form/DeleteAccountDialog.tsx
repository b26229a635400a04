// Dialogs that confirm deleting an account in the list, or closing the user's own account (AC-12).
import type { Account } from "@psp/contract/account/account.ts";
import { isRoot } from "@psp/contract/permission/can.ts";
import { useMutation } from "@tanstack/react-query";
import { useGo, useParam } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { DeleteDialog } from "../../entity/DeleteOwned.tsx";
import { useActor, useSession, useUser } from "../../api/session/session.tsx";
import { toOwner, useCan, useStandings } from "../../api/session/useCan.ts";
import { accountQueries as entity } from "../account.queries.ts";
import { accountText as text } from "../account.text.ts";
import { AccountClosing, NewOwnerField, useAccountClosing } from "./AccountClosing.tsx";

type DeletePermission = {
  /** Undefined while loading. */
  mayDelete?: boolean;
  /** Why the account can't be deleted: missing right, root account, or child accounts. */
  why?: string;
};

export function useDeletePermission(
  account: Pick<Account, "_id" | "parentAccounts" | "role"> | undefined,
): DeletePermission {
  const can = useCan();
  const { ownerOf, hasChildren, ready } = useStandings(account === undefined ? [] : [account._id]);
  if (account === undefined || !ready) return {};
  const owner = toOwner(account, ownerOf(account._id));
  if (can.deleteAccount(owner, hasChildren(account._id))) return { mayDelete: true };
  if (can.deleteAccount(owner, false)) return { mayDelete: false, why: text.hasChildren };
  return { mayDelete: false, why: isRoot(owner) ? text.rootStays : text.noDelete };
}

function useDelete(id: string) {
  const onSuccess = entity.useRefresh();
  const { endSessionWith } = useSession();
  const own = useActor().id === id;
  const remove = () => entity.remove(id);
  return useMutation({ mutationFn: own ? () => endSessionWith(remove) : remove, ...(own ? {} : { onSuccess }) });
}

/** After users have closed their own account, the next login must not return to this dialog. */
function useLeave(): () => void {
  const go = useGo();
  return () => go(paths.login, { query: "none", replace: true });
}

export function DeleteAccountDialog() {
  const id = useParam("id");
  const leave = useLeave();
  const remove = useDelete(id);
  const { data: account, error } = entity.useOne(id, remove.isIdle);
  const { mayDelete, why } = useDeletePermission(account);
  const name = account?.name ?? id;
  const own = id === useActor().id;
  const ending = useAccountClosing(account ?? unknownAccount(id));
  return (
    <DeleteDialog
      found={account !== undefined}
      error={error}
      mayDelete={remove.isIdle ? mayDelete : true}
      remove={afterHandOver(remove, ending)}
      title={own ? text.deleteMyTitle : text.deleteTitle}
      question={<Question ending={ending}>{own ? text.deleteMyQuestion : text.deleteQuestion(name)}</Question>}
      fields={<NewOwnerField ending={ending} />}
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
  const { mayDelete, why } = useDeletePermission(user);
  const ending = useAccountClosing(user);
  return (
    <DeleteDialog
      found
      error={null}
      mayDelete={id !== user._id ? false : remove.isIdle ? mayDelete : true}
      remove={afterHandOver(remove, ending)}
      title={text.closeTitle}
      question={<Question ending={ending}>{text.closeQuestion(user.name)}</Question>}
      fields={<NewOwnerField ending={ending} />}
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

const unknownAccount = (id: string) => ({ _id: id, credentials: [], parentAccounts: [], role: null });

type EndingState = ReturnType<typeof useAccountClosing>;

function Question({ ending, children }: { ending: EndingState; children: string }) {
  return (
    <>
      <div>{children}</div>
      <AccountClosing ending={ending} />
    </>
  );
}

/** Makes a deletion hand over the sensors and locations first. If that fails, the account isn't deleted. */
function afterHandOver({ isIdle, mutateAsync }: ReturnType<typeof useDelete>, { handOver }: EndingState) {
  return {
    isIdle,
    async mutateAsync() {
      await handOver();
      return mutateAsync();
    },
  };
}
