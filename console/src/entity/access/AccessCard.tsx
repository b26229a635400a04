// Card "Who can see this?" of an object page. The URL contains the selected account, so that the result can be shared.
import type { AccessType } from "@psp/contract/permission/access.ts";
import { Box } from "@mui/material";
import { useSearchParameter } from "../../address/navigation.tsx";
import { AccountSelect } from "../reference/AccountSelect.tsx";
import { useCan } from "../../api/session/useCan.ts";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { AccessResult } from "./AccessResult.tsx";
import { accessText as text } from "./access.text.ts";

/** Renders nothing if the user can't view other accounts. */
export function AccessCard({ type, id }: { type: Exclude<AccessType, "owner">; id: string }) {
  const can = useCan();
  const [account, setAccount] = useSearchParameter("account");
  if (!can.viewAnyAccount()) return null;
  return (
    <SectionCard title={text.who} gap={4}>
      <AccountSelect label={text.account} value={account} onChange={setAccount} />
      {account === null ? (
        <Box sx={{ color: "text.secondary" }}>{text.pick}</Box>
      ) : (
        <AccessResult account={account} type={type} id={id} />
      )}
    </SectionCard>
  );
}
