// Setting the role of many accounts, and deleting many, item by item with progress and retry (spec 1 §2, §4).
import { deleteAccount, updateAccount } from "@psp/contract/account/account.api.ts";
import { assignRoleSet, tooPowerful } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import type { Search } from "../../address/address.ts";
import { call } from "../../api/call.ts";
import { useFailure } from "../../api/useFailure.ts";
import { useAccountName } from "../../entity/reference/useNames.ts";
import { RoleSelect, useRoleChoices } from "../../entity/reference/RoleSelect.tsx";
import { toOwner, useCan } from "../../session/useCan.ts";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import { Opening } from "../../ui/feedback/Opening.tsx";
import type { BatchResult } from "../../ui/batch/batchRun.ts";
import type { Selection } from "../../ui/table/Selection.ts";
import { runOverAccounts } from "./account.batch.ts";
import { accountText } from "../account.text.ts";

type Props = {
  selection: Selection;
  /** The list's filters. */
  query: Search;
  count: number;
  /** Gets the result when something was tried. */
  onClose: (result?: BatchResult) => void;
};

/** The selection as it was when the dialog opened: what happens to the list meanwhile doesn't change the batch. */
function useAtOpening({ selection, query, count }: Props) {
  return useState({ selection, query, count })[0];
}

function useClose(onClose: Props["onClose"]) {
  const client = useQueryClient();
  return (result?: BatchResult) => {
    if (result !== undefined) void client.invalidateQueries({ queryKey: ["account"] });
    onClose(result);
  };
}

function NameOf({ id }: { id: string }) {
  return <>{useAccountName(id) ?? id}</>;
}

export function SetRoleDialog(props: Props) {
  const can = useCan();
  const fail = useFailure();
  const { selection, query, count } = useAtOpening(props);
  const close = useClose(props.onClose);
  const [role, setRole] = useState<{ id: string; name: string } | null>(null);
  const allow = useCallback((one: Role) => tooPowerful(can.actor, one.permissions) === null, [can.actor]);
  const { data, isFetched } = useRoleChoices();
  const none = data?.total === 0;
  const noneAssignable =
    isEmptySet(assignRoleSet(can.actor)) ||
    (data !== undefined && data.total <= data.objects.length && !data.objects.some(allow));
  const { onClose } = props;
  useEffect(() => {
    if (data === undefined || !(none || noneAssignable)) return;
    fail(accountText.updateFailed)(new Error(none ? accountText.changeNoRole : accountText.changeNoAssignable));
    onClose();
  }, [data, none, noneAssignable, fail, onClose]);
  if (!isFetched || none || noneAssignable) return <Opening />;
  return (
    <BatchDialog
      open
      title={accountText.setRoleTitle(count)}
      submitLabel="Save"
      total={count}
      texts={{
        success: accountText.updatedAll,
        partial: accountText.updatedSome,
        failedTitle: accountText.savingFailed,
        about: "account",
      }}
      run={
        role === null
          ? () => Promise.reject(new Error(accountText.noChanges))
          : runOverAccounts(selection, query, can.actor.parentAccounts, {
              change: ({ _id }) => call(updateAccount, { params: { id: _id }, body: { role: role.id } }),
            })
      }
      renderObject={(id) => <NameOf id={id} />}
      // Nothing was tried without a role.
      onClose={(result) => close(role === null ? undefined : result)}
    >
      <div>{accountText.setRoleQuestion(count)}</div>
      <RoleSelect
        label={accountText.role}
        value={role?.id ?? null}
        valueName={role?.name}
        onChange={(id, name) => setRole(id === null ? null : { id, name })}
        allow={allow}
        required
      />
    </BatchDialog>
  );
}

export function DeleteAccountsDialog(props: Props) {
  const can = useCan();
  const { selection, query, count } = useAtOpening(props);
  return (
    <BatchDialog
      open
      title={accountText.deleteManyTitle(count)}
      submitLabel="Delete"
      danger
      total={count}
      texts={{
        success: accountText.deletedAll,
        partial: accountText.deletedSome,
        failedTitle: accountText.deletionFailed,
        about: "account",
      }}
      run={runOverAccounts(selection, query, can.actor.parentAccounts, {
        // That there are accounts below it, the server tells: they may be deleted by the same batch.
        refuse: (account, standing) =>
          can.deleteAccount(toOwner(account, standing), false) ? undefined : accountText.noDelete,
        change: ({ _id }) => call(deleteAccount, { params: { id: _id } }),
      })}
      renderObject={(id) => <NameOf id={id} />}
      onClose={useClose(props.onClose)}
    >
      <div>{accountText.deleteManyQuestion(count)}</div>
    </BatchDialog>
  );
}
