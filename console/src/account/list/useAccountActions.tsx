// Row buttons to review, edit and delete accounts, as permitted (AC-03).
import type { Account } from "@psp/contract/account/account.ts";
import DeleteOutlineRounded from "~icons/ic/round-delete-outline";
import EditOutlined from "~icons/ic/outline-edit";
import FactCheckOutlined from "~icons/ic/outline-fact-check";
import { useCallback } from "react";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { toOwner, useCan, useStandings } from "../../api/session/useCan.ts";
import type { RowAction } from "../../ui/table/columns.ts";
import { awaitsReview } from "../account.rules.ts";
import { accountText } from "../account.text.ts";

export function useAccountActions(accounts: readonly Account[]): (account: Account, without?: "edit") => RowAction[] {
  const can = useCan();
  const go = useGo();
  const { ownerOf, hasChildren } = useStandings(accounts.map(({ _id }) => _id));
  return useCallback(
    (account, without) => {
      const owner = toOwner(account, ownerOf(account._id));
      const actions: RowAction[] = [];
      if (awaitsReview(account) && can.editAccount(owner))
        actions.push({
          label: accountText.review(account.name),
          text: accountText.reviewShort,
          icon: <FactCheckOutlined />,
          onClick: () => go(paths.reviewAccount(account._id)),
        });
      if (without === undefined && can.editAccount(owner))
        actions.push({
          label: accountText.edit(account.name),
          icon: <EditOutlined />,
          onClick: () => go(paths.account(account._id)),
        });
      if (can.deleteAccount(owner, false))
        actions.push({
          label: accountText.remove(account.name),
          icon: <DeleteOutlineRounded />,
          danger: true,
          disabledReason: can.deleteAccount(owner, hasChildren(account._id)) ? undefined : accountText.hasChildren,
          onClick: () => go(paths.deleteAccount(account._id)),
        });
      return actions;
    },
    [can, go, ownerOf, hasChildren],
  );
}
