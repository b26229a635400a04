// Batch dialogs for accounts: set role and delete, one request per account (AC-14).
import type { Account } from "@psp/contract/account/account.ts";
import { resolveAssignRoleScope } from "@psp/contract/permission/can.ts";
import { findNeverWithinReach } from "@psp/contract/permission/reach.ts";
import { isEmptySet, type Owner } from "@psp/contract/permission/scope.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { useFailureToast } from "../../api/useFailure.ts";
import { type BatchSelection, createItemBatch } from "../../entity/batch/item-batch.ts";
import { type NamedRef, toReferenceFieldProps } from "../../entity/reference/ReferenceSelect.tsx";
import { useName } from "../../entity/reference/useNames.ts";
import { RoleSelect, useRoleChoices } from "../../entity/reference/RoleSelect.tsx";
import { noChangesText, outcomeTexts } from "../../entity/batch/batch.text.ts";
import type { BatchActionDialogProps } from "../../entity/batch/list-batch.tsx";
import { fetchStandings, ownerFromStanding } from "../../api/session/standings.ts";
import { toOwner, useCan } from "../../api/session/useCan.ts";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import { LoadingBar } from "../../ui/feedback/LoadingBar.tsx";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import type { BatchResult } from "../../ui/batch/batchRun.ts";
import { accountQueries, fetchAccounts } from "../account.queries.ts";
import { accountText } from "../account.text.ts";

const about = { noun: "account", about: "account" } as const;

type Step = {
  refuse?: (account: Account, standing: Owner | undefined) => string | undefined;
  change: (account: Account) => Promise<unknown>;
};

/** Processes children before parents, because an account with children can't be deleted. */
function runOverAccounts(chosen: BatchSelection, ancestors: readonly string[], { refuse, change }: Step): BatchRun {
  return createItemBatch<Account>({
    page: (query, signal) => fetchAccounts(query, ancestors, signal),
    list: accountQueries.list,
    chosen,
    order: (a, b) => b.parentAccounts.length - a.parentAccounts.length,
    async prepare(accounts) {
      const standings = refuse === undefined ? [] : await fetchStandings(accounts.map(({ _id }) => _id));
      const known = new Map(standings.map((one) => [one._id, ownerFromStanding(one)]));
      return async (one) => {
        const reason = refuse?.(one, known.get(one._id));
        if (reason === undefined) await change(one);
        return reason;
      };
    },
  });
}

function useClose(onClose: BatchActionDialogProps["onClose"]) {
  const client = useQueryClient();
  return (result?: BatchResult) => {
    if (result !== undefined) void client.invalidateQueries({ queryKey: ["account"] });
    onClose(result);
  };
}

function NameOf({ id }: { id: string }) {
  const name = useName("account", id);
  return name === id ? null : name;
}

export function SetRoleDialog({ chosen, count, onClose }: BatchActionDialogProps) {
  const can = useCan();
  const fail = useFailureToast();
  const close = useClose(onClose);
  const [role, setRole] = useState<NamedRef | null>(null);
  // Which of the accounts may get the role is checked for each of them by the server.
  const allow = useCallback((one: Role) => findNeverWithinReach(can.actor, one.permissions) === null, [can.actor]);
  const { data, isFetched } = useRoleChoices();
  const none = data?.total === 0;
  const noneAssignable =
    isEmptySet(resolveAssignRoleScope(can.actor)) ||
    (data !== undefined && data.total <= data.objects.length && !data.objects.some(allow));
  useEffect(() => {
    if (data === undefined || !(none || noneAssignable)) return;
    fail(accountText.updateFailed)(new Error(none ? accountText.changeNoRole : accountText.changeNoAssignable));
    onClose();
  }, [data, none, noneAssignable, fail, onClose]);
  if (!isFetched || none || noneAssignable) return <LoadingBar />;
  return (
    <BatchDialog
      title={accountText.setRoleTitle(count)}
      submitLabel="Save"
      total={count}
      texts={outcomeTexts("updated", about)}
      run={
        role === null
          ? () => Promise.reject(new Error(noChangesText))
          : runOverAccounts(chosen, can.actor.parentAccounts, {
              change: ({ _id }) => accountQueries.update(_id, { role: role.id }),
            })
      }
      renderName={(id) => <NameOf id={id} />}
      // If no role was chosen, nothing was sent and the selection is kept.
      onClose={(result) => close(role === null ? undefined : result)}
    >
      <div>{accountText.setRoleQuestion(count)}</div>
      <RoleSelect label={accountText.role} {...toReferenceFieldProps(role, setRole)} allow={allow} required />
    </BatchDialog>
  );
}

export function DeleteAccountsDialog({ chosen, count, onClose }: BatchActionDialogProps) {
  const can = useCan();
  return (
    <BatchDialog
      title={accountText.deleteManyTitle(count)}
      submitLabel="Delete"
      danger
      total={count}
      texts={outcomeTexts("deleted", about)}
      run={runOverAccounts(chosen, can.actor.parentAccounts, {
        // Child accounts are only checked by the server, because they may be deleted in the same batch.
        refuse: (one, standing) =>
          can.deleteAccount(toOwner(one, standing), false) ? undefined : accountText.noDelete,
        change: ({ _id }) => accountQueries.remove(_id),
      })}
      renderName={(id) => <NameOf id={id} />}
      onClose={useClose(onClose)}
    >
      <div>{accountText.deleteManyQuestion(count)}</div>
    </BatchDialog>
  );
}
