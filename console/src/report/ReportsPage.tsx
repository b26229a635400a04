// Reports: the list with schedule, recipients and runs, and its dialogs.
import { reportListQuery } from "@psp/contract/report/report.api.ts";
import type { Report } from "@psp/contract/report/report.ts";
import { useMemo } from "react";
import SendRounded from "~icons/ic/round-send";
import { useListState } from "../address/list-state.ts";
import { useSearchParams } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCan } from "../api/session/useCan.ts";
import { createHistoryTab } from "../audit/History.tsx";
import { DeleteOwned } from "../entity/DeleteOwned.tsx";
import { EditOwned } from "../entity/EditOwned.tsx";
import { NewOwned } from "../entity/NewOwned.tsx";
import { DeniedList } from "../entity/list/list-empty.tsx";
import { nameFilter, useOwnerFilter } from "../entity/list/list-filters.tsx";
import { ListPage } from "../entity/list/list-page.tsx";
import { validateName } from "../entity/name-and-owner.tsx";
import { OwnerLink } from "../entity/reference/OwnerLink.tsx";
import { RelativeTime } from "../ui/time/RelativeTime.tsx";
import type { Column, RowAction, Sort } from "../ui/table/columns.ts";
import {
  findRecipientsError,
  prefill,
  type ReportFields as Fields,
  scheduleText,
  toChange,
  toFields,
  toNewReport,
} from "./report-form.rules.ts";
import { mayEditReport, report } from "./report.entity.ts";
import { ReportFields } from "./ReportFields.tsx";
import { createRunsTab, useSendReport } from "./ReportRuns.tsx";
import { reportsText as text } from "./reports.text.ts";

const byName: Sort = [{ id: "name", desc: false }];

const statusOf = ({ enabled, stopped }: Report) => (stopped !== null ? text.stopped : enabled ? text.on : text.off);

const here = Intl.DateTimeFormat().resolvedOptions().timeZone;

const columns: readonly Column<Report>[] = [
  { id: "name", header: text.name, cell: ({ name }) => name, sortable: true, minWidth: 180 },
  {
    id: "schedule",
    header: text.schedule,
    cell: ({ schedule }) => scheduleText(schedule, here),
    minWidth: 240,
    onPhone: "labeled",
  },
  {
    id: "recipients",
    header: text.recipients,
    cell: ({ recipientCount }) => recipientCount,
    numeric: true,
    width: 112,
    onNarrow: "none",
    onPhone: "none",
  },
  {
    id: "lastRun",
    header: text.lastRun,
    cell: ({ lastRun }) =>
      lastRun === null ? (
        text.never
      ) : (
        <>
          {text.states[lastRun.state]} <RelativeTime value={lastRun.at} />
        </>
      ),
    width: 168,
    onPhone: "labeled",
  },
  {
    id: "nextAt",
    header: text.nextRun,
    cell: ({ nextAt }) => (nextAt === null ? text.never : <RelativeTime value={nextAt} />),
    sortable: true,
    width: 128,
    onPhone: "labeled",
  },
  { id: "status", header: text.status, cell: statusOf, width: 96, onPhone: "labeled" },
  {
    id: "owner",
    header: text.owner,
    cell: ({ owner }) => <OwnerLink owner={owner} />,
    sortable: true,
    minWidth: 120,
    onNarrow: "none",
    onPhone: "none",
  },
];

export const ReportsPage = () => (useCan().viewType("measurement") ? <ReportList /> : <DeniedList text={text} />);

function ReportList() {
  const list = useListState(reportListQuery.shape, byName, { isPersisted: true });
  const send = useSendReport();
  const sendAction = (row: Report): RowAction => ({
    label: text.sendNowOf(row.name),
    icon: <SendRounded />,
    onClick: () => send(row),
    disabledReason: mayEditReport(row) ? undefined : text.noEdit,
  });
  return (
    <ListPage
      entity={report}
      text={text}
      list={list}
      answer={report.useList(list.query)}
      columns={columns}
      rowPath={({ _id }) => paths.report(_id)}
      rowActions={(row) => [sendAction(row)]}
      create={{ label: text.create, path: paths.newReport }}
      filters={[nameFilter(list, text), useOwnerFilter(list, text)]}
    />
  );
}

/** Errors of fields other than name and owner keep the form from being sent, like those of the owner. */
const errorsOf = ({ name, owner, recipients, content }: Fields) => ({
  name: validateName(name, text.nameRequired),
  owner: owner === null ? text.ownerRequired : undefined,
  others: findRecipientsError(recipients) ?? (content.length === 0 ? text.contentRequired : undefined),
});

const form = { toFields, toChange, errorsOf, Fields: ReportFields };

const refusals = {
  none: { title: text.createFailed, text: text.noAccount },
  notAllowed: { title: text.createFailed, text: text.createForEmpty },
};

export function NewReportDialog() {
  const { of } = useSearchParams();
  const empty = useMemo(() => prefill(typeof of === "string" ? of : "", here), [of]);
  return (
    <NewOwned
      entity={report}
      form={form}
      text={text}
      refusals={refusals}
      empty={empty}
      // For named locations, the right to edit all of them is enough.
      isForOwnAccount={empty.filters.ids !== undefined}
      toNew={toNewReport}
    />
  );
}

export const EditReportDialog = () => (
  <EditOwned
    entity={report}
    form={form}
    text={text}
    noun="report"
    tabs={(row, mayEdit) => [...(mayEdit ? [createRunsTab(row)] : []), createHistoryTab("report", row._id, mayEdit)]}
  />
);

export const DeleteReportDialog = () => <DeleteOwned entity={report} />;
