// The frame of a list page: rows with order, pages and selection, what it says when there are none, and the dialogs over it.
import type { OwnableType } from "@psp/contract/permission/permissions.ts";
import AddRounded from "@mui/icons-material/AddRounded";
import DeleteOutlineRounded from "@mui/icons-material/DeleteOutlineRounded";
import type { UseQueryResult } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { failureText } from "../api/useFailure.ts";
import type { ListState } from "../address/list-state.ts";
import { useGo } from "../address/navigation.tsx";
import { useCan, useOwners } from "../session/useCan.ts";
import { DataTable } from "../ui/table/DataTable.tsx";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import type { ActiveFilter } from "../ui/table/FilterChips.tsx";
import { ListLayout } from "../ui/table/ListLayout.tsx";
import { PageHeader, type PrimaryAction } from "../ui/PageHeader.tsx";
import type { Selection } from "../ui/table/Selection.ts";
import type { RowAction } from "../ui/table/columns.ts";
import type { DataTableProps } from "../ui/table/listView.ts";

/** What every list says of itself. */
type ListText = {
  title: string;
  noneTitle: string;
  noneText: string;
  noMatchTitle: string;
  noMatchText: string;
  showAll: string;
  loadFailed: string;
};

/** What can be done with several rows at once: their selection, the bar that tells it, the dialog that is open. */
export type ListBatch = {
  selection: Selection;
  setSelection: (selection: Selection) => void;
  bar: ReactNode;
  dialog: ReactNode;
};

type ListPageProps<Row> = Pick<DataTableProps<Row>, "columns" | "rowLabel" | "rowActions" | "skeletonRows"> & {
  text: ListText;
  list: ListState;
  /** The page of rows that the list's query asked for. */
  answer: UseQueryResult<{ objects: Row[]; total?: number | undefined }>;
  /** Where a row leads. */
  rowPath: (row: Row) => string;
  filters: ReactNode;
  chips: readonly ActiveFilter[];
  clearLabel?: string;
  /** For those who may; offered above the list, and as the next step where nothing exists. */
  create?: { label: string; path: string } | undefined;
  /** Another main action than `create`. */
  primary?: PrimaryAction;
  batch?: ListBatch;
};

const noRows: never[] = [];
const idOf = (row: { _id: string }) => row._id;

/** Props: see the type. Dialogs below the page's address open over it. */
export function ListPage<Row extends { _id: string }>(props: ListPageProps<Row>) {
  const { text, list, answer, rowPath, filters, chips, clearLabel, create, primary, batch, ...table } = props;
  const go = useGo();
  const { data } = answer;
  const rows = data?.objects ?? noRows;
  const creation = create && { label: create.label, onClick: () => go(create.path) };
  // That the list before had no rows says nothing of this one.
  const total = answer.isPlaceholderData && rows.length === 0 ? undefined : data?.total;
  return (
    <>
      <ListLayout
        title={text.title}
        primary={primary ?? (creation && { ...creation, icon: <AddRounded /> })}
        selectionBar={batch?.bar}
        filters={filters}
        chips={chips}
        onClear={list.clear}
        clearLabel={clearLabel}
        page={list.page}
        pageSize={list.pageSize}
        total={total}
        awaited={answer.isPlaceholderData}
        onPageChange={list.setPage}
        failure={listFailure(text.loadFailed, answer)}
      >
        <DataTable
          {...table}
          label={text.title}
          rows={rows}
          rowId={idOf}
          loading={answer.isPending}
          sort={list.sort}
          onSortChange={list.setSort}
          {...(batch && { selection: batch.selection, onSelectionChange: batch.setSelection })}
          total={data?.total ?? rows.length}
          viewKey={list.viewKey}
          awaited={answer.isPlaceholderData}
          onRowClick={(row) => go(rowPath(row))}
          empty={<NoRows text={text} filtered={list.active > 0} onShowAll={list.clear} create={creation} />}
        />
      </ListLayout>
      {batch?.dialog}
      <Outlet />
    </>
  );
}

/** Why there is nothing to show at all, for `ListLayout`. */
export function listFailure(title: string, { data, error, isError, refetch }: UseQueryResult<unknown>) {
  if (!isError || data !== undefined) return undefined;
  return { title, text: failureText(error), onRetry: () => void refetch() };
}

/** A list without rows: nothing matches its filters, or nothing exists. */
export function NoRows(props: {
  text: ListText;
  filtered: boolean;
  onShowAll: () => void;
  create?: { label: string; onClick: () => void } | undefined;
}) {
  const { text, create } = props;
  return props.filtered ? (
    <EmptyState
      kind="noMatch"
      title={text.noMatchTitle}
      text={text.noMatchText}
      action={{ label: text.showAll, onClick: props.onShowAll }}
    />
  ) : (
    <EmptyState kind="none" title={text.noneTitle} text={text.noneText} {...(create && { action: create })} />
  );
}

/** Stands where the list would, for those who may not view it; a dialog that they have the address of still opens. */
export function DeniedList({ text }: { text: { title: string; deniedTitle: string; denied: string } }) {
  return (
    <>
      <PageHeader title={text.title} />
      <EmptyState kind="denied" title={text.deniedTitle} text={text.denied} />
      <Outlet />
    </>
  );
}

type Owned = { _id: string; owner: { _id: string } };

/** A row's way to its deletion, for those who may delete it. */
export function useDeletion<Row extends Owned>(
  type: OwnableType,
  rows: readonly Row[] | undefined,
  labelOf: (row: Row) => string,
  pathOf: (id: string) => string,
): (row: Row) => RowAction[] {
  const can = useCan();
  const go = useGo();
  const { ownerOf } = useOwners(useMemo(() => (rows ?? []).map((row) => row.owner._id), [rows]));
  return (row) =>
    (
      type === "role"
        ? can.deleteRole({ id: row._id, owner: ownerOf(row.owner._id) })
        : can.delete(type, ownerOf(row.owner._id))
    )
      ? [
          {
            label: labelOf(row),
            icon: <DeleteOutlineRounded />,
            danger: true,
            onClick: () => go(pathOf(row._id)),
          },
        ]
      : [];
}
