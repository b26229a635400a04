// The frame of a list page: rows with order, pages and selection, what it says when there are none, and the dialogs over it.
import AddRounded from "@mui/icons-material/AddRounded";
import DeleteOutlineRounded from "@mui/icons-material/DeleteOutlineRounded";
import type { UseQueryResult } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { useMemo } from "react";
import { failureText } from "../api/useFailure.ts";
import type { ListState } from "../address/list-state.ts";
import { useGo } from "../address/navigation.tsx";
import { useCan, useMayCreate, useOwners } from "../session/useCan.ts";
import { DataTable } from "../ui/table/DataTable.tsx";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { ListLayout } from "../ui/table/ListLayout.tsx";
import { PageHeader, type PrimaryAction } from "../ui/PageHeader.tsx";
import type { ListBatch } from "./batch/list-batch.tsx";
import type { Entity, OwnedRow } from "./entity.ts";
import { chipsOf, fieldsOf, type ListFilter } from "./list-filters.tsx";
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

type ListPageProps<R extends OwnedRow> = Pick<DataTableProps<R>, "columns" | "skeletonRows"> & {
  entity: Pick<Entity<R>, "nameOf" | "paths" | "rights">;
  text: ListText;
  list: ListState;
  /** The page of rows that the list's query asked for. */
  answer: UseQueryResult<{ objects: R[]; total?: number | undefined }>;
  /** Where a row leads. */
  rowPath: (row: R) => string;
  /** What else can be done with a row than deleting it. */
  rowActions?: (row: R) => RowAction[];
  filters: readonly ListFilter[];
  clearLabel?: string;
  /** For those who may; offered above the list, and as the next step where nothing exists. */
  create?: { label: string; path: string };
  /** Another main action than `create`. */
  primary?: PrimaryAction;
  batch?: ListBatch;
};

const noRows: never[] = [];
const idOf = (row: { _id: string }) => row._id;

/** Dialogs below the page's address open over it. */
export function ListPage<R extends OwnedRow>(props: ListPageProps<R>) {
  const { entity, text, list, answer, rowPath, rowActions, filters, clearLabel, create, primary, batch, ...table } =
    props;
  const go = useGo();
  const { data } = answer;
  const rows = data?.objects ?? noRows;
  const deletion = useDeletion(entity, rows);
  const mayCreate = useMayCreate(entity.rights.type) === true;
  const creation =
    create !== undefined && mayCreate ? { label: create.label, onClick: () => go(create.path) } : undefined;
  // That the list before had no rows says nothing of this one.
  const total = answer.isPlaceholderData && rows.length === 0 ? undefined : data?.total;
  return (
    <>
      <ListLayout
        title={text.title}
        primary={primary ?? (creation && { ...creation, icon: <AddRounded /> })}
        selectionBar={batch?.bar}
        filters={fieldsOf(filters)}
        chips={chipsOf(filters)}
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
          rowLabel={entity.nameOf}
          rowActions={(row) => [...(rowActions?.(row) ?? []), ...deletion(row)]}
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

/** A row's way to its deletion, for those who may delete it. */
function useDeletion<R extends OwnedRow>(
  { nameOf, paths, rights }: ListPageProps<R>["entity"],
  rows: readonly R[],
): (row: R) => RowAction[] {
  const can = useCan();
  const go = useGo();
  const { ownerOf } = useOwners(useMemo(() => rows.map((row) => row.owner._id), [rows]));
  return (row) =>
    rights.remove(can, row, ownerOf(row.owner._id))
      ? [
          {
            label: `Delete ${nameOf(row)}`,
            icon: <DeleteOutlineRounded />,
            danger: true,
            onClick: () => go(paths.remove(row._id)),
          },
        ]
      : [];
}
