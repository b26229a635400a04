// Monitoring log of a location or sensor, with acknowledgement. The server filters, sorts and pages the entries (MO-04).
import type { Issue } from "@psp/contract/monitoring/issue.ts";
import CheckRounded from "~icons/ic/round-check";
import { Typography } from "@mui/material";
import { useMemo } from "react";
import { useListState } from "../../address/list-state.ts";
import { CellLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { choiceFilter } from "../../entity/list/list-filters.tsx";
import { StatusDot } from "../../ui/feedback/StatusDot.tsx";
import { Tip } from "../../ui/feedback/Tip.tsx";
import { Mono } from "../../ui/Mono.tsx";
import type { Column, Sort } from "../../ui/table/columns.ts";
import { formatExactTime } from "../../ui/time/RelativeTime.tsx";
import { issueTones } from "../issue-tones.ts";
import { useIssues } from "../issue.queries.ts";
import { issueStatusLabels, issueText as text, issueTypeLabels } from "../issue.text.ts";
import { useIssueBatch } from "./IssueBatch.tsx";
import { IssueList } from "./IssueList.tsx";
import { toIssueQuery, issueParameters, type IssueScope } from "./issue.parameters.ts";
import { dateFilter, sensorFilter, multiChoiceFilter } from "./issue-filters.tsx";

const newest: Sort = [{ id: "startUTC", desc: true }];

function minuteWords(at: number, timeZone: string | undefined): string {
  const date = { day: "2-digit", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" } as const;
  return new Intl.DateTimeFormat("en-GB", { ...date, ...(timeZone === undefined ? {} : { timeZone }) }).format(at);
}

function columnsIn(timeZone: string | undefined): readonly Column<Issue>[] {
  return [
    {
      id: "startUTC",
      header: text.created,
      sortable: true,
      width: 164,
      cell: ({ startUTC }) => (
        <Tip text={() => formatExactTime(Date.parse(startUTC), timeZone)}>
          <span>{minuteWords(Date.parse(startUTC), timeZone)}</span>
        </Tip>
      ),
    },
    {
      id: "issueType",
      header: text.type,
      sortable: true,
      width: 136,
      cell: ({ data }) => issueTypeLabels[data.issueType],
    },
    { id: "issueMessage", header: text.message, sortable: true, minWidth: 180, cell: ({ data }) => data.issueMessage },
    {
      id: "sens",
      header: text.sensor,
      sortable: true,
      width: 172,
      onPhone: "labeled",
      onNarrow: "none",
      cell: ({ sens }) => (
        <CellLink to={paths.sensor(sens)} query="none">
          <Mono>{sens}</Mono>
        </CellLink>
      ),
    },
    {
      id: "acknowledged",
      header: text.acknowledged,
      sortable: true,
      width: 120,
      onPhone: "labeled",
      cell: ({ data }) =>
        data.acknowledgedAt === null ? (
          "-"
        ) : (
          <CheckRounded fontSize="small" color="success" titleAccess={text.acknowledgedIs.true} />
        ),
    },
    {
      id: "issueStatus",
      header: text.status,
      sortable: true,
      width: 104,
      onPhone: "state",
      cell: ({ data: { issueStatus } }) => (
        <StatusDot tone={issueTones[issueStatus]} label={issueStatusLabels[issueStatus]} />
      ),
    },
  ];
}

type IssuesCardProps = {
  scope: IssueScope;
  timeZone: string | null;
};

export function IssuesCard({ scope, timeZone }: IssuesCardProps) {
  const list = useListState(issueParameters, newest);
  const answer = useIssues(toIssueQuery(list.query, scope, timeZone));
  const columns = useMemo(() => columnsIn(timeZone ?? undefined), [timeZone]);
  const sensors = sensorFilter(list, "measID" in scope ? scope.measID : null);
  const batch = useIssueBatch({ filters: list.filters, total: answer.data?.total ?? 0, scope, timeZone });
  return (
    <IssueList
      text={text}
      heading={
        <Typography variant="h2" sx={{ mb: 3 }}>
          {text.title}
        </Typography>
      }
      list={list}
      answer={answer}
      filters={[
        dateFilter(list, timeZone),
        multiChoiceFilter(list, "issueType", text.type, issueTypeLabels),
        multiChoiceFilter(list, "issueStatus", text.status, issueStatusLabels),
        choiceFilter(
          list,
          "acknowledged",
          { label: text.acknowledged, any: text.any },
          Object.entries(text.acknowledgedIs),
        ),
        ...(sensors === null ? [] : [sensors]),
      ]}
      batch={batch}
      columns={columns}
      rowLabel={({ data: { issueType }, sens, startUTC }) =>
        text.rowName(issueTypeLabels[issueType], sens, formatExactTime(Date.parse(startUTC), timeZone ?? undefined))
      }
      timeZone={timeZone}
    />
  );
}
