// The sign-ups that wait for somebody's decision, above the accounts; nothing where none waits (spec 1 §2).
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Card from "@mui/material/Card";
import Chip from "@mui/material/Chip";
import Typography from "@mui/material/Typography";
import { useLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { Ellipsis } from "../../ui/Ellipsis.tsx";
import { RowActions } from "../../ui/table/RowActions.tsx";
import { useAccounts } from "../account.queries.ts";
import { accountText } from "../account.text.ts";
import { useAccountActions } from "./useAccountActions.tsx";

const shown = 5;
const query = { accountState: "-1", limit: String(shown), sortBy: ["createdAt"] };

export function AwaitingReview() {
  const { data } = useAccounts(query);
  const actionsOf = useAccountActions(data?.objects ?? []);
  const all = useLink(`${paths.accounts}?accountState=-1&viewType=list`, "none");
  if (data === undefined || data.objects.length === 0) return null;
  return (
    <Card component="section" aria-label={accountText.awaiting} sx={{ flex: "none", px: 4, py: 3, mb: 2 }}>
      <Box sx={{ display: "flex", alignItems: "center", gap: 4, minHeight: 32 }}>
        <Typography variant="h2" sx={{ mr: "auto" }}>
          {accountText.awaiting}
        </Typography>
        {data.total > shown ? (
          <Button component="a" size="small" {...all}>
            {accountText.showAllAwaiting(data.total)}
          </Button>
        ) : null}
      </Box>
      <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0 }}>
        {data.objects.map((account) => (
          <Box
            component="li"
            key={account._id}
            sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 3, minHeight: 40 }}
          >
            <Box sx={{ minWidth: 0, fontWeight: 600 }}>
              <Ellipsis>{account.name}</Ellipsis>
            </Box>
            <Box sx={{ minWidth: 0, color: "text.secondary" }}>
              <Ellipsis>{account.credentials.map(({ email }) => email).join(", ")}</Ellipsis>
            </Box>
            <Chip size="small" color="warning" variant="outlined" label={accountText.toReview} />
            <Box sx={{ ml: "auto" }}>
              <RowActions actions={actionsOf(account, "edit")} />
            </Box>
          </Box>
        ))}
      </Box>
    </Card>
  );
}
