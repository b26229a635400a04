// The frame of a list page: rows with order, pages and selection, what it says when there are none, and the dialogs over it.
import AddRounded from "@mui/icons-material/AddRounded";
import DeleteOutlineRounded from "@mui/icons-material/DeleteOutlineRounded";
import type { UseQueryResult } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { Box, Stack } from "@mui/material";
import { Fragment, type ReactNode, useEffect, useMemo, useState } from "react";
import { failureText } from "../api/useFailure.ts";
import type { ListState } from "../address/list-state.ts";
import { useGo } from "../address/navigation.tsx";
import { useCan, useMayCreate, useOwners } from "../session/useCan.ts";
import { DataTable } from "../ui/table/DataTable.tsx";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { PageHeader, type PrimaryAction } from "../ui/PageHeader.tsx";
import type { ListBatch } from "./batch/list-batch.tsx";
import type { Entity, OwnedRow } from "./entity.ts";
import type { ListFilter } from "./list-filters.tsx";
import type { RowAction } from "../ui/table/columns.ts";
import { FilterChips } from "../ui/table/FilterChips.tsx";
import { FilterDrawer, FiltersButton, useFiltersBeside } from "../ui/table/FilterDrawer.tsx";
import type { DataTableProps } from "../ui/table/listView.ts";
import { Pager } from "../ui/table/Pager.tsx";

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
  return (
    <ListFrame
      {...{ text, list, answer, filters, clearLabel, batch }}
      primary={primary ?? (creation && { ...creation, icon: <AddRounded /> })}
      onClear={list.clear}
      // That the list before had no rows says nothing of this one.
      total={answer.isPlaceholderData && rows.length === 0 ? undefined : data?.total}
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
    </ListFrame>
  );
}

type ListFrameProps = {
  text: Pick<ListText, "title" | "loadFailed">;
  list: ListState;
  answer: UseQueryResult<unknown>;
  filters: readonly ListFilter[];
  onClear: () => void;
  clearLabel?: string | undefined;
  /** Undefined while unknown. */
  total: number | undefined;
  primary?: PrimaryAction | undefined;
  /** Instead of `primary`, e.g. a SpeedDial. */
  action?: ReactNode;
  /** More of the toolbar, e.g. view toggles. */
  toolbar?: ReactNode;
  batch?: ListBatch | undefined;
  /** The rows: a DataTable. */
  children: ReactNode;
};

/** The places of every list page: title, toolbar with filter chips, filters beside, rows or why there are none, pages, dialogs. */
export function ListFrame(props: ListFrameProps) {
  const { text, list, answer, total, batch } = props;
  const { page, pageSize, setPage } = list;
  const beside = useFiltersBeside();
  const [open, setOpen] = useState(beside);
  const chips = props.filters.flatMap((filter) => filter.chips);
  // While the answer to the present question is on its way, the total is still that of the list before.
  const lastPage =
    total === undefined || answer.isPlaceholderData ? undefined : Math.max(1, Math.ceil(total / pageSize));
  // The page in the address may have emptied since; Back must not lead there.
  useEffect(() => {
    if (lastPage !== undefined && page > lastPage) setPage(lastPage, "corrected");
  }, [lastPage, page, setPage]);
  const hasFailed = answer.isError && answer.data === undefined;
  const clear = { onClear: props.onClear, clearLabel: props.clearLabel };
  return (
    <>
      <PageHeader title={text.title} primary={props.primary} action={props.action} selectionBar={batch?.bar}>
        <FiltersButton open={open} onClick={() => setOpen(!open)} activeCount={chips.length} />
        {props.toolbar}
        <FilterChips filters={chips} {...clear} />
      </PageHeader>
      <Box sx={{ display: "flex", alignItems: "flex-start", flex: 1 }}>
        <FilterDrawer open={open} onClose={() => setOpen(false)} activeCount={chips.length} {...clear}>
          {props.filters.map(({ field }, index) => (
            <Fragment key={index}>{field}</Fragment>
          ))}
        </FilterDrawer>
        <Stack sx={{ flex: 1, minWidth: 0, gap: 2 }}>
          {hasFailed ? (
            <EmptyState
              kind="error"
              title={text.loadFailed}
              text={failureText(answer.error)}
              action={{ label: "Try again", onClick: () => void answer.refetch() }}
            />
          ) : (
            props.children
          )}
          {total === undefined || total === 0 || hasFailed ? null : (
            <Pager page={page} pageSize={pageSize} total={total} onPageChange={setPage} />
          )}
        </Stack>
      </Box>
      {batch?.dialog}
      <Outlet />
    </>
  );
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

/** In place of the list, for those who may not view it; a dialog that they have the address of still opens. */
export function DeniedList({ text }: { text: { title: string; deniedTitle: string; denied: string } }) {
  return (
    <>
      <PageHeader title={text.title} />
      <EmptyState kind="denied" title={text.deniedTitle} text={text.denied} />
      <Outlet />
    </>
  );
}

/** Leads from a row to its deletion, for those who may delete it. */
function useDeletion<R extends OwnedRow>(entity: ListPageProps<R>["entity"], rows: readonly R[]) {
  const { nameOf, paths, rights } = entity;
  const can = useCan();
  const go = useGo();
  const { ownerOf } = useOwners(useMemo(() => rows.map((row) => row.owner._id), [rows]));
  return (row: R): RowAction[] => {
    if (!rights.remove(can, row, ownerOf(row.owner._id))) return [];
    const onClick = () => go(paths.remove(row._id));
    return [{ label: `Delete ${nameOf(row)}`, icon: <DeleteOutlineRounded />, danger: true, onClick }];
  };
}
