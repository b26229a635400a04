// Compared groups of locations: by tag, by owner, or by country. A row leads to the comparison of its locations.
import type { GroupCounts } from "@psp/contract/counts/counts.api.ts";
import type { Grouping } from "@psp/contract/counts/grouping.ts";
import { formatSearch } from "../../address/address.ts";
import type { ListState } from "../../address/list-state.ts";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { formatSum } from "../../counts/format-counts.ts";
import { EmptyList } from "../../entity/list/list-empty.tsx";
import { LiveValue } from "../../ui/feedback/LiveValue.tsx";
import type { Column, Sort } from "../../ui/table/columns.ts";
import { DataTable } from "../../ui/table/DataTable.tsx";
import { compareText as text } from "./compare-counts.text.ts";
import { figureColumns, hasSales } from "./figure-columns.tsx";
import { RankMark } from "./RankMark.tsx";

type GroupTableProps = {
  list: ListState;
  /** Undefined while they are being loaded. */
  groups: readonly GroupCounts[] | undefined;
  groupBy: Grouping;
  isCompared: boolean;
  total: number | undefined;
  isPlaceholder: boolean;
  viewKey: string;
  /** Range, comparison and filters, which the comparison of a group's locations keeps. */
  search: Record<string, unknown>;
};

export function GroupTable({ list, groups, groupBy, isCompared, total, search, ...shown }: GroupTableProps) {
  const go = useGo();
  const nameOf = (group: GroupCounts) => group.name ?? text.nameless[groupBy];
  const pathTo = (group: GroupCounts) => {
    const filter = filterOf(groupBy, group, search);
    return filter === null ? undefined : paths.compareCounts + formatSearch({ ...search, ...filter });
  };
  return (
    <DataTable
      label={text.groups}
      columns={columnsOf(nameOf, { groups: groups ?? noGroups, sort: list.sort, isCompared })}
      skeletonRows={12}
      rows={groups ?? noGroups}
      rowId={idOf}
      rowLabel={nameOf}
      loading={groups === undefined}
      sort={list.sort}
      onSortChange={(sort) => list.setSort(sort.slice(-1))}
      total={total ?? groups?.length ?? 0}
      viewKey={shown.viewKey}
      isPlaceholder={shown.isPlaceholder}
      rowHref={pathTo}
      onRowClick={(group) => {
        const path = pathTo(group);
        if (path !== undefined) go(path, { query: "none" });
      }}
      empty={<EmptyList text={text} filtered={list.active > 0} onShowAll={list.clear} />}
    />
  );
}

const noGroups: readonly GroupCounts[] = [];
const idOf = ({ key }: GroupCounts) => key ?? "";

const values = (value: unknown): unknown[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

/** No filter finds locations without a tag or country. Tags are added to those of the filter; owner and country replace it. */
function filterOf(groupBy: Grouping, { key, name }: GroupCounts, search: Record<string, unknown>) {
  if (key === null) return null;
  if (groupBy === "owner") return { ownerID: key };
  return groupBy === "country" ? { country: name } : { tag: [...values(search["tag"]), name] };
}

const changeTip = ({ change, comparable, locations }: GroupCounts) =>
  change.in === null || comparable === locations ? null : text.comparable(comparable, locations);

type Shown = { groups: readonly GroupCounts[]; sort: Sort; isCompared: boolean };

function columnsOf(nameOf: (group: GroupCounts) => string, { groups, sort, isCompared }: Shown) {
  const columns: readonly Column<GroupCounts>[] = [
    {
      id: "name",
      header: text.group,
      sortable: true,
      minWidth: 220,
      before: ({ rank }) => <RankMark rank={rank} />,
      cell: nameOf,
    },
    {
      id: "locations",
      onPhone: "labeled",
      header: text.locations,
      numeric: true,
      width: 104,
      cell: ({ locations }) => formatSum(locations),
    },
    ...figureColumns<GroupCounts>({
      people: (row) => <LiveValue>{formatSum(row.in)}</LiveValue>,
      changeTip,
      isCompared,
      hasSales: hasSales(groups, sort),
    }),
  ];
  return columns;
}
