// List page for objects with an owner.
import AddRounded from "~icons/ic/round-add";
import DeleteOutlineRounded from "~icons/ic/round-delete-outline";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useMemo } from "react";
import type { ListState } from "../../address/list-state.ts";
import { useHref, useGo } from "../../address/navigation.tsx";
import { useOpenedRow } from "../../address/opened-rows.ts";
import { useListQuery } from "../../api/listed.ts";
import { useCan, useMayCreate, useOwners } from "../../api/session/useCan.ts";
import { DataTable } from "../../ui/table/DataTable.tsx";
import type { PrimaryAction } from "../../ui/PageHeader.tsx";
import type { ListBatch } from "../batch/list-batch.tsx";
import type { Entity, OwnedRow } from "../entity.ts";
import { EmptyList } from "./list-empty.tsx";
import type { ListFilter } from "./list-filters.tsx";
import { ListFrame } from "./list-frame.tsx";
import type { RowAction } from "../../ui/table/columns.ts";
import type { DataTableProps } from "../../ui/table/listView.ts";

type ListText = {
  title: string;
  noneTitle: string;
  noneText: string;
  noMatchTitle: string;
  noMatchText: string;
  showAll: string;
  loadFailed: string;
  counted: (count: number) => string;
};

type ListPageProps<R extends OwnedRow> = Pick<DataTableProps<R>, "columns" | "skeletonRows"> & {
  entity: Pick<Entity<R>, "nameOf" | "page" | "paths" | "rights" | "type">;
  text: ListText;
  list: ListState;
  answer: UseQueryResult<{ objects: R[]; total?: number | undefined }>;
  rowPath: (row: R) => string;
  rowActions?: (row: R) => RowAction[];
  filters: readonly ListFilter[];
  clearLabel?: string;
  /** Shown above the list and in the empty state if the user has the right to create. */
  create?: { label: string; path: string };
  /** Replaces `create` as main action. */
  primary?: PrimaryAction;
  batch?: ListBatch;
  toolbar?: ReactNode;
};

const noRows: never[] = [];
const idOf = (row: { _id: string }) => row._id;

export function ListPage<R extends OwnedRow>(props: ListPageProps<R>) {
  const { entity, text, list, answer, rowPath, rowActions, filters, clearLabel, create, primary, batch, ...others } =
    props;
  const { toolbar, ...table } = others;
  const go = useGo();
  const address = useHref();
  const { opened, note } = useOpenedRow();
  const { data } = answer;
  const all = useAll(entity, list.active > 0);
  const rows = data?.objects ?? noRows;
  // Deferred, because DataTable.tsx defers the rows too.
  const deletion = useDeletion(entity, useDeferredValue(rows));
  const mayCreate = useMayCreate(entity.rights.owners ?? entity.rights.type) === true;
  const creation =
    create !== undefined && mayCreate ? { label: create.label, onClick: () => go(create.path) } : undefined;
  // The empty state offers the main action as the next step.
  const next = creation ?? (primary === undefined || primary.disabledReason !== undefined ? undefined : primary);
  return (
    <ListFrame
      {...{ text, list, answer, filters, clearLabel, batch, toolbar }}
      primary={primary ?? (creation && { ...creation, icon: <AddRounded /> })}
      onClear={list.clear}
      // While loading, an empty previous list must not hide filters and batches.
      total={answer.isPlaceholderData && rows.length === 0 ? undefined : data?.total}
      all={all}
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
        isPlaceholder={answer.isPlaceholderData}
        rowHref={(row) => address(rowPath(row))}
        onRowClick={(row) => {
          note(row._id);
          go(rowPath(row));
        }}
        returnTo={opened}
        searchText={filters.find(({ searchText: searched }) => searched !== undefined)?.searchText}
        empty={
          <EmptyList
            text={text}
            filtered={list.active > 0}
            onShowAll={list.clear}
            create={next && { label: next.label, onClick: next.onClick }}
          />
        }
      />
    </ListFrame>
  );
}

/** Total without filters, fetched only if it is displayed. */
function useAll<R extends OwnedRow>({ type, page }: Pick<Entity<R>, "page" | "type">, wanted: boolean) {
  const ask = (signal: AbortSignal) => page({ limit: "1", includeTotals: "true" }, signal);
  const { data } = useListQuery([type, "total", "all"], ask, wanted);
  return wanted ? data?.total : undefined;
}

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
