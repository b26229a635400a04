// Chip with the number of a sensor's open issues, linking to its log.
import { type IssueStatus, issueTypes, issueSeverity } from "@psp/contract/monitoring/issue-words.ts";
import type { Issue } from "@psp/contract/monitoring/issue.ts";
import { formatSearch } from "../../address/address.ts";
import { AppLink } from "../../address/navigation.tsx";
import { standaloneLinkStyles } from "../../ui/theme/targets.ts";
import { LiveValue } from "../../ui/feedback/LiveValue.tsx";
import { StatusDot } from "../../ui/feedback/StatusDot.tsx";
import { issueTones } from "../issue-tones.ts";
import { useIssues } from "../issue.queries.ts";
import { openIssuesText as text } from "../issue.text.ts";

/** Number of newest log entries to load; enough to include all open issues. */
const looked = "100";

/** `path` leads to the sensor's log. The link adds a filter for the open issues. */
export function OpenIssuesChip({ sensor, path }: { sensor: string; path: string }) {
  const { data } = useIssues({ sensorIDs: sensor, sortBy: "-startUTC", limit: looked });
  const open = openOf(data?.objects ?? []);
  const [worst] = open.map(({ data: { issueStatus } }) => issueStatus).toSorted(byWeight);
  if (worst === undefined) return null;
  const query = {
    issueType: open.map((issue) => issue.data.issueType),
    issueStatus: [...new Set(open.map((issue) => issue.data.issueStatus))],
  };
  return (
    <AppLink
      to={`${path}?query=${encodeURIComponent(formatSearch(query).slice(1))}`}
      query="none"
      color="inherit"
      underline="hover"
      sx={standaloneLinkStyles}
    >
      <LiveValue>
        <StatusDot tone={issueTones[worst]} label={text.chip(open.length)} />
      </LiveValue>
    </AppLink>
  );
}

const byWeight = (a: IssueStatus, b: IssueStatus) => issueSeverity[b] - issueSeverity[a];

/** The latest entry of each type if it is a Warning or Error. `entries` must be sorted newest first. */
function openOf(entries: readonly Issue[]): Issue[] {
  const latest = issueTypes.flatMap((type) => entries.find(({ data }) => data.issueType === type) ?? []);
  return latest.filter(({ data }) => data.issueStatus !== "Ok");
}
