// The buttons of an account's row: review, edit, delete, as far as they are allowed (spec 1 §2, §6).
import type { Account } from "@psp/contract/account/account.ts";
import DeleteOutlineRounded from "@mui/icons-material/DeleteOutlineRounded";
import EditOutlined from "@mui/icons-material/EditOutlined";
import FactCheckOutlined from "@mui/icons-material/FactCheckOutlined";
import { useCallback } from "react";
import { useGo } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { toOwner, useCan } from "../session/useCan.ts";
import type { RowAction } from "../ui/columns.ts";
import { awaitsReview } from "./account.rules.ts";
import { accountText } from "./account.text.ts";

/** Answers the buttons of one account; `without` leaves the edit button out. */
export function useAccountActions(): (account: Account, without?: "edit") => RowAction[] {
  const can = useCan();
  const go = useGo();
  return useCallback(
    (account, without) => {
      const owner = toOwner(account);
      const actions: RowAction[] = [];
      if (awaitsReview(account) && can.edit("owner", owner))
        actions.push({
          label: accountText.review(account.name),
          text: accountText.reviewShort,
          icon: <FactCheckOutlined />,
          onClick: () => go(paths.reviewAccount(account._id)),
        });
      if (without === undefined && can.edit("owner", owner))
        actions.push({
          label: accountText.edit(account.name),
          icon: <EditOutlined />,
          onClick: () => go(paths.account(account._id)),
        });
      if (can.delete("owner", owner))
        actions.push({
          label: accountText.remove(account.name),
          icon: <DeleteOutlineRounded />,
          danger: true,
          onClick: () => go(paths.deleteAccount(account._id)),
        });
      return actions;
    },
    [can, go],
  );
}
