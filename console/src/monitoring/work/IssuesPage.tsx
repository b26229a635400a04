// List of all open issues that the user sees, the worst first (docs/rules/monitoring.md#open-issues).
import type { ListedIssue } from "@psp/contract/monitoring/issue.ts";
import CheckRounded from "~icons/ic/round-check";
import PersonAddAltRounded from "~icons/ic/round-person-add-alt";
import SnoozeRounded from "~icons/ic/round-snooze";
import StickyNote2Rounded from "~icons/ic/round-sticky-note-2";
import { Box } from "@mui/material";
import { useMemo, useState } from "react";
import { useListState } from "../../address/list-state.ts";
import { CellLink, useTitle } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useCan } from "../../api/session/useCan.ts";
import { DeniedList } from "../../entity/list/list-empty.tsx";
import { chipsFilter, choiceFilter, type ListFilter, useOwnerFilter } from "../../entity/list/list-filters.tsx";
import { StatusDot } from "../../ui/feedback/StatusDot.tsx";
import { Tip } from "../../ui/feedback/Tip.tsx";
import { Mono } from "../../ui/Mono.tsx";
import type { Column, RowAction, Sort } from "../../ui/table/columns.ts";
import { formatExactTime, RelativeTime } from "../../ui/time/RelativeTime.tsx";
import { issueTones } from "../issue-tones.ts";
import { useIssues } from "../issue.queries.ts";
import { issueStatusLabels, issueText, issueTypeLabels } from "../issue.text.ts";
import { multiChoiceFilter } from "../logs/issue-filters.tsx";
import { IssueList } from "../logs/IssueList.tsx";
import { openIssueParameters, toOpenIssueQuery } from "./issues.parameters.ts";
import { useNoWorkReason, useWorkBatch } from "./WorkBatch.tsx";
import { WorkDialog } from "./WorkDialog.tsx";
import type { WorkKind } from "./work.queries.ts";
import { workText as text } from "./work.text.ts";

const worstFirst: Sort = [{ id: "severity", desc: false }];
const nameOf = ({ data: { issueType }, sens }: ListedIssue) => `${issueTypeLabels[issueType]} ${sens}`;
const { Ok: _ok, ...openStatuses } = issueStatusLabels;

const columns: readonly Column<ListedIssue>[] = [
  {
    id: "issueType",
    header: text.issue,
    sortable: true,
    minWidth: 220,
    cell: ({ data }) => (
      <Box component="span" sx={{ display: "block", minWidth: 0, overflow: "hidden", textOverflow: "ellipsis" }}>
        <strong>{issueTypeLabels[data.issueType]}</strong>
        <Box component="span" sx={{ color: "text.secondary" }}>
          {" · "}
          {data.issueMessage}
        </Box>
      </Box>
    ),
  },
  {
    id: "issueStatus",
    header: issueText.status,
    sortable: true,
    width: 100,
    onPhone: "state",
    cell: ({ data: { issueStatus } }) => (
      <StatusDot tone={issueTones[issueStatus]} label={issueStatusLabels[issueStatus]} />
    ),
  },
  {
    id: "sens",
    header: issueText.sensor,
    sortable: true,
    width: 160,
    cell: ({ sens }) => (
      <CellLink to={paths.sensor(sens)} query="none">
        <Mono>{sens}</Mono>
      </CellLink>
    ),
  },
  {
    id: "location",
    header: text.location,
    width: 136,
    cell: ({ location }) =>
      location === null ? (
        "–"
      ) : (
        <CellLink to={paths.locationGeneral(location._id)} query="none">
          {location.name}
        </CellLink>
      ),
  },
  {
    id: "owner",
    header: text.owner,
    width: 140,
    onNarrow: "none",
    onPhone: "none",
    cell: ({ owner }) => owner?.name ?? "–",
  },
  {
    id: "since",
    header: text.since,
    sortable: true,
    width: 136,
    cell: ({ since, startUTC }) => <RelativeTime value={since ?? startUTC} />,
  },
  {
    id: "assignee",
    header: text.assignee,
    width: 148,
    onPhone: "labeled",
    cell: ({ assignee }) => assignee?.email ?? text.noAssignee,
  },
  {
    id: "marks",
    header: text.notes,
    width: 84,
    onNarrow: "none",
    cell: (issue) => (hasMarks(issue) ? <Marks issue={issue} /> : null),
  },
];

const hasMarks = ({ note, snoozedUntil, data }: ListedIssue) =>
  note !== null || snoozedUntil !== null || data.acknowledgedAt !== null;

/** Notes, acknowledgment and snooze as icons with their words. */
function Marks({ issue: { note, notesCount, snoozedUntil, data } }: { issue: ListedIssue }) {
  return (
    <Box component="span" sx={{ display: "inline-flex", alignItems: "center", gap: 1, color: "text.secondary" }}>
      {note === null ? null : (
        <Tip text={() => `${text.noteCount(notesCount)}: ${note.text}`}>
          <StickyNote2Rounded fontSize="small" titleAccess={text.noteCount(notesCount)} />
        </Tip>
      )}
      {data.acknowledgedAt === null ? null : (
        <CheckRounded fontSize="small" color="success" titleAccess={issueText.acknowledgedIs.true} />
      )}
      {snoozedUntil === null ? null : (
        <SnoozeRounded fontSize="small" titleAccess={text.snoozedUntil(formatExactTime(Date.parse(snoozedUntil)))} />
      )}
    </Box>
  );
}

const icons = {
  assign: <PersonAddAltRounded />,
  note: <StickyNote2Rounded />,
  snooze: <SnoozeRounded />,
} satisfies Record<WorkKind, unknown>;

export function IssuesPage() {
  useTitle(text.title);
  return useCan().viewType("sensor") ? <OpenIssues /> : <DeniedList text={text} />;
}

function OpenIssues() {
  const list = useListState(openIssueParameters, worstFirst, { isPersisted: true });
  const answer = useIssues(toOpenIssueQuery(list.query));
  const [work, setWork] = useState<{ kind: WorkKind; issue: ListedIssue } | null>(null);
  const disabledReason = useNoWorkReason();
  const actionsOf = useMemo(
    () =>
      (issue: ListedIssue): RowAction[] =>
        (["assign", "note", "snooze"] as const).map((kind) => ({
          label: text.of(text[kind], nameOf(issue)),
          icon: icons[kind],
          disabledReason,
          onClick: () => setWork({ kind, issue }),
        })),
    [disabledReason],
  );
  return (
    <>
      <IssueList
        text={text}
        list={list}
        answer={answer}
        filters={useIssueFilters(list)}
        batch={useWorkBatch(list.filters, answer.data?.total ?? 0)}
        columns={columns}
        rowLabel={nameOf}
        rowActions={actionsOf}
        timeZone={null}
      />
      {work === null ? null : <WorkDialog key={work.kind} {...work} onClose={() => setWork(null)} />}
    </>
  );
}

function useIssueFilters(list: ReturnType<typeof useListState>): ListFilter[] {
  const owner = useOwnerFilter(list, { owner: text.owner, any: text.ownerAny });
  const any = issueText.any;
  return [
    multiChoiceFilter(list, "issueStatus", issueText.status, openStatuses),
    multiChoiceFilter(list, "issueType", issueText.type, issueTypeLabels),
    choiceFilter(list, "assigneeID", { label: text.assignee, any }, text.assignees),
    owner,
    chipsFilter(list, "tag", { label: text.tags, hint: text.tagsHint }),
    choiceFilter(list, "olderThan", { label: text.age, any }, text.ages),
    choiceFilter(
      list,
      "acknowledged",
      { label: issueText.acknowledged, any },
      Object.entries(issueText.acknowledgedIs),
    ),
    choiceFilter(list, "snoozed", { label: text.snoozed, any: text.notSnoozed }, [["true", text.snoozedOnly]]),
  ];
}
