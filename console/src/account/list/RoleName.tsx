// The role of an account in lists; says why where there is none to show (spec 1 §2).
import type { Account } from "@psp/contract/account/account.ts";
import Box from "@mui/material/Box";
import { useTip } from "../../ui/feedback/Tip.tsx";
import { accountText } from "../account.text.ts";

/** Props: `account`. */
export function RoleName({ account }: { account: Pick<Account, "role"> }) {
  const { handlers, tip } = useTip(() => (account.role === null ? accountText.roleGone : undefined));
  return (
    <>
      <Box component="span" {...handlers}>
        {account.role?.name ?? "-"}
      </Box>
      {tip}
    </>
  );
}
