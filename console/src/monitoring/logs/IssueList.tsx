// The frame and table that lists of issues share. A row opens the issue's dialog.
import type { UseQueryResult } from "@tanstack/react-query";
import type { ListedIssue } from "@psp/contract/monitoring/issue.ts";
import type { ReactNode } from "react";
import type { ListState } from "../../address/list-state.ts";
import { useOpenedRow } from "../../address/opened-rows.ts";
import type { ListResult } from "../../api/listed.ts";
import type { ListBatch } from "../../entity/batch/list-batch.tsx";
import { EmptyList } from "../../entity/list/list-empty.tsx";
import type { ListFilter } from "../../entity/list/list-filters.tsx";
import { ListFrame } from "../../entity/list/list-frame.tsx";
import { EmptyState } from "../../ui/feedback/EmptyState.tsx";
import type { Column, RowAction } from "../../ui/table/columns.ts";
import { DataTable } from "../../ui/table/DataTable.tsx";
import { IssueDetailDialog, useIssueDetail } from "./issue-detail.tsx";

type IssueListProps = {
  text: {
    title: string;
    loadFailed: string;
    counted: (count: number) => string;
    noneTitle: string;
    noneText: string;
    noMatchTitle: string;
    noMatchText: string;
    showAll: string;
  };
  heading?: ReactNode;
  list: ListState;
  answer: UseQueryResult<ListResult<ListedIssue>>;
  filters: readonly ListFilter[];
  batch: ListBatch;
  columns: readonly Column<ListedIssue>[];
  rowLabel: (row: ListedIssue) => string;
  rowActions?: (row: ListedIssue) => RowAction[];
  /** Of times in the dialog; null for the browser's. */
  timeZone: string | null;
};

const noRows: ListedIssue[] = [];
const idOf = ({ id }: { id: string }) => id;

export function IssueList(props: IssueListProps) {
  const { text, list, answer, batch, rowActions, timeZone } = props;
  const { data } = answer;
  const { opened, note } = useOpenedRow();
  const detail = useIssueDetail();
  const rows = data?.objects ?? noRows;
  return (
    <>
      <ListFrame
        text={text}
        heading={props.heading}
        list={list}
        answer={answer}
        filters={props.filters}
        onClear={list.clear}
        total={answer.isPlaceholderData && rows.length === 0 ? undefined : data?.total}
        batch={batch}
      >
        <DataTable
          label={text.title}
          columns={props.columns}
          rows={rows}
          rowId={idOf}
          rowLabel={props.rowLabel}
          {...(rowActions && { rowActions })}
          loading={answer.isPending}
          sort={list.sort}
          onSortChange={list.setSort}
          selection={batch.selection}
          onSelectionChange={batch.setSelection}
          total={data?.total ?? rows.length}
          viewKey={list.viewKey}
          isPlaceholder={answer.isPlaceholderData}
          rowHref={({ id }) => detail.addressOf(id)}
          onRowClick={({ id }) => {
            note(id);
            detail.open(id);
          }}
          returnTo={opened}
          empty={
            list.active > 0 ? (
              <EmptyList text={text} filtered onShowAll={list.clear} />
            ) : (
              <EmptyState kind="none" title={text.noneTitle} text={text.noneText} />
            )
          }
        />
      </ListFrame>
      <IssueDetailDialog detail={detail} timeZone={timeZone} />
    </>
  );
}
