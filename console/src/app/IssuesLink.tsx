// Link of the header to the open issues, with their number.
import WarningAmberRounded from "~icons/ic/round-warning-amber";
import { Box, IconButton } from "@mui/material";
import { lazyPage } from "../address/lazyPage.ts";
import { useLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { issuesTitle, useIssueCount, useSnoozeEnds } from "../monitoring/issue-count.ts";
import { Tip } from "../ui/feedback/Tip.tsx";
import { formatNumber } from "../ui/text/numbers.ts";

const badge = {
  position: "absolute",
  top: 2,
  right: 1,
  minWidth: 16,
  px: "4px",
  borderRadius: "8px",
  fontSize: "0.625rem",
  lineHeight: "16px",
  fontWeight: 600,
  fontVariantNumeric: "tabular-nums",
} as const;

const worst = { bgcolor: "error.main", color: "error.contrastText" };
const quiet = { bgcolor: "text.secondary", color: "background.paper" };

const nameWith = (count: number) => `${issuesTitle}, ${formatNumber(count)} open`;

/** For accounts that may view sensors. */
export function IssuesLink() {
  const link = useLink(paths.issues, "none");
  const { data } = useIssueCount(true);
  useSnoozeEnds(data?.changesAt);
  const count = data === undefined ? 0 : data.errors + data.warnings;
  const name = data === undefined ? issuesTitle : nameWith(count);
  return (
    <Tip text={name}>
      <IconButton {...link} component="a" aria-label={name}>
        <WarningAmberRounded />
        {count === 0 ? null : (
          <Box aria-hidden component="span" sx={{ ...badge, ...(data?.errors ? worst : quiet) }}>
            {count > 99 ? "99+" : count}
          </Box>
        )}
      </IconButton>
    </Tip>
  );
}

/** In this file, because every address in the route table makes the login page's chunks larger. */
export const IssuesRoute = lazyPage("IssuesPage", () => import("../monitoring/work/IssuesPage.tsx"));
