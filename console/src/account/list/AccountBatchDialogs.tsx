// Setting the role of many accounts, and deleting many, item by item with progress and retry (spec 1 §2, §4).
import { assignRoleSet, tooPowerful } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { useFailure } from "../../api/useFailure.ts";
import { useName } from "../../entity/reference/useNames.ts";
import { RoleSelect, useRoleChoices } from "../../entity/reference/RoleSelect.tsx";
import { noChanges, outcomeTexts } from "../../entity/batch/batch.text.ts";
import type { ChosenDialogProps } from "../../entity/batch/list-batch.tsx";
import { toOwner, useCan } from "../../session/useCan.ts";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import { Opening } from "../../ui/feedback/Opening.tsx";
import type { BatchResult } from "../../ui/batch/batchRun.ts";
import { runOverAccounts } from "./account.batch.ts";
import { account } from "../account.queries.ts";
import { accountText } from "../account.text.ts";

const about = { noun: "account", about: "account" } as const;

function useClose(onClose: ChosenDialogProps["onClose"]) {
  const client = useQueryClient();
  return (result?: BatchResult) => {
    if (result !== undefined) void client.invalidateQueries({ queryKey: ["account"] });
    onClose(result);
  };
}

function NameOf({ id }: { id: string }) {
  return <>{useName("account", id) ?? id}</>;
}

export function SetRoleDialog({ chosen, count, onClose }: ChosenDialogProps) {
  const can = useCan();
  const fail = useFailure();
  const close = useClose(onClose);
  const [role, setRole] = useState<{ id: string; name: string } | null>(null);
  const allow = useCallback((one: Role) => tooPowerful(can.actor, one.permissions) === null, [can.actor]);
  const { data, isFetched } = useRoleChoices();
  const none = data?.total === 0;
  const noneAssignable =
    isEmptySet(assignRoleSet(can.actor)) ||
    (data !== undefined && data.total <= data.objects.length && !data.objects.some(allow));
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
      texts={outcomeTexts("updated", about)}
      run={
        role === null
          ? () => Promise.reject(new Error(noChanges))
          : runOverAccounts(chosen, can.actor.parentAccounts, {
              change: ({ _id }) => account.update(_id, { role: role.id }),
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

export function DeleteAccountsDialog({ chosen, count, onClose }: ChosenDialogProps) {
  const can = useCan();
  return (
    <BatchDialog
      open
      title={accountText.deleteManyTitle(count)}
      submitLabel="Delete"
      danger
      total={count}
      texts={outcomeTexts("deleted", about)}
      run={runOverAccounts(chosen, can.actor.parentAccounts, {
        // That there are accounts below it, the server tells: they may be deleted by the same batch.
        refuse: (one, standing) =>
          can.deleteAccount(toOwner(one, standing), false) ? undefined : accountText.noDelete,
        change: ({ _id }) => account.remove(_id),
      })}
      renderObject={(id) => <NameOf id={id} />}
      onClose={useClose(onClose)}
    >
      <div>{accountText.deleteManyQuestion(count)}</div>
    </BatchDialog>
  );
}
