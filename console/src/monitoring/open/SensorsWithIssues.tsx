// Dashboard table of sensors with open issues, most issues first (DB-02).
import { issueStatuses, issueTypes, openIssueStatuses } from "@psp/contract/monitoring/issue-words.ts";
import type { SensorIssues } from "@psp/contract/monitoring/monitoring.api.ts";
import { Box, Checkbox, FormControlLabel } from "@mui/material";
import { useState } from "react";
import { formatSearch } from "../../address/address.ts";
import { AppLink, useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { failureText } from "../../api/useFailure.ts";
import { standaloneLinkStyles } from "../../ui/theme/targets.ts";
import { EmptyState } from "../../ui/feedback/EmptyState.tsx";
import { StatusDot } from "../../ui/feedback/StatusDot.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import type { Column } from "../../ui/table/columns.ts";
import { DataTable } from "../../ui/table/DataTable.tsx";
import { Pager } from "../../ui/table/Pager.tsx";
import { issueTones } from "../issue-tones.ts";
import { sensorsPerPage, useSensorsWithIssues } from "../issue.queries.ts";
import { issueStatusLabels, issueTypeLabels, openIssuesText as text } from "../issue.text.ts";

const columns: readonly Column<SensorIssues>[] = [
  {
    id: "sens",
    header: text.sensor,
    width: 380,
    cell: ({ sens, measurement }) => (
      <>
        {sens}
        {measurement === null ? null : (
          <Box component="span" sx={{ ml: 3, fontWeight: 400, color: "text.secondary" }}>
            {measurement.name}
          </Box>
        )}
      </>
    ),
  },
  {
    id: "issues",
    header: text.issues,
    cell: ({ issues }) => (
      <>
        {issues.map(({ _id, issueType, issueStatus, issueMessage }) => (
          <Box component="span" key={_id} sx={{ display: "inline-block", mr: 4 }}>
            <StatusDot
              tone={issueTones[issueStatus]}
              label={text.one(issueTypeLabels[issueType], issueStatusLabels[issueStatus])}
              tooltip={issueMessage}
            />
          </Box>
        ))}
      </>
    ),
  },
];
const listPath = (withAcknowledged: boolean) =>
  paths.sensors +
  formatSearch({ issueStatus: openIssueStatuses, acknowledged: withAcknowledged ? undefined : "false" });
const noRows: SensorIssues[] = [];
const idOf = ({ sens }: SensorIssues) => sens;

export function logPath({ sens, issues }: SensorIssues, withAcknowledged: boolean): string {
  const shown = {
    issueType: issueTypes.filter((type) => issues.some(({ issueType }) => issueType === type)),
    issueStatus: issueStatuses.filter((status) => issues.some(({ issueStatus }) => issueStatus === status)),
    acknowledged: withAcknowledged ? undefined : "false",
  };
  return `${paths.sensorDestination(sens, "logs")}?query=${encodeURIComponent(formatSearch(shown).slice(1))}`;
}

export function SensorsWithIssues() {
  const [withAcknowledged, setWithAcknowledged] = useState(false);
  const [page, setPage] = useState(1);
  const answer = useSensorsWithIssues(page, withAcknowledged);
  const go = useGo();
  const { data, error } = answer;
  const rows = data?.objects ?? noRows;
  const total = data?.total ?? 0;
  const last = Math.max(1, Math.ceil(total / sensorsPerPage));
  // Moves to the last page if the current page no longer exists.
  if (data !== undefined && !answer.isPlaceholderData && page > last) setPage(last);
  return (
    <SectionCard title={text.title}>
      <FormControlLabel
        label={text.include}
        control={
          <Checkbox
            checked={withAcknowledged}
            onChange={(_, on) => {
              setWithAcknowledged(on);
              setPage(1);
            }}
          />
        }
      />
      {error !== null && data === undefined ? (
        <EmptyState
          kind="error"
          title={text.loadFailed}
          text={failureText(error)}
          action={{ label: "Try again", onClick: () => void answer.refetch() }}
        />
      ) : (
        <DataTable
          label={text.title}
          columns={columns}
          rows={rows}
          rowId={idOf}
          rowLabel={idOf}
          loading={answer.isPending}
          skeletonRows={3}
          viewKey={`${page} ${withAcknowledged}`}
          isPlaceholder={answer.isPlaceholderData}
          rowHref={(row) => logPath(row, withAcknowledged)}
          onRowClick={(row) => go(logPath(row, withAcknowledged), { query: "none" })}
          empty={<EmptyState kind="none" title={text.empty} text={text.emptyText} />}
        />
      )}
      {total > 0 ? (
        <AppLink to={listPath(withAcknowledged)} query="none" sx={{ ...standaloneLinkStyles, alignSelf: "flex-start" }}>
          {text.all}
        </AppLink>
      ) : null}
      {total > sensorsPerPage ? (
        <Pager page={page} pageSize={sensorsPerPage} total={total} onPageChange={setPage} label={text.title} />
      ) : null}
    </SectionCard>
  );
}
