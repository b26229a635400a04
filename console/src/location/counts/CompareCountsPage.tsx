// Compares the counts of locations in a range. Locations with too little data are not ranked
// (docs/rules/counts.md#comparing-locations).
import { Box } from "@mui/material";
import { type Comparison, endsToday, parseDay } from "@psp/contract/counts/count-range.ts";
import type { LocationCounts } from "@psp/contract/counts/counts.api.ts";
import { locationCountsQuery } from "@psp/contract/counts/counts.query.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { useState } from "react";
import ScheduleSendRounded from "~icons/ic/round-schedule-send";
import { formatSearch, type SearchParams } from "../../address/address.ts";
import { type ListState, useListState } from "../../address/list-state.ts";
import { useGo } from "../../address/navigation.tsx";
import { useOpenedRow } from "../../address/opened-rows.ts";
import { paths } from "../../address/paths.ts";
import { CallError } from "../../api/call.ts";
import { useWatchedCounts } from "../../api/watch.ts";
import { useLocationCounts } from "../../counts/counts.queries.ts";
import { PeopleCount } from "../../counts/PeopleCount.tsx";
import { RangeControls } from "../../counts/RangeControls.tsx";
import { todayIn } from "../../counts/times.ts";
import { useCountsView, viewOf } from "../../counts/view.ts";
import { type ListFilter, nameFilter, useOwnerFilter, useOwnerTreeFilter } from "../../entity/list/list-filters.tsx";
import { DeniedList, EmptyList } from "../../entity/list/list-empty.tsx";
import { ListFrame } from "../../entity/list/list-frame.tsx";
import { useCan, useMayCreate } from "../../api/session/useCan.ts";
import type { Column, Sort } from "../../ui/table/columns.ts";
import { DataTable } from "../../ui/table/DataTable.tsx";
import { countryFilter, occupancyFilter, tagFilter } from "../location-filters.tsx";
import { compareText as text } from "./compare-counts.text.ts";
import { CompareTools } from "./CompareTools.tsx";
import { figureColumns, hasSales } from "./figure-columns.tsx";
import { groupingOf } from "./grouping.ts";
import { GroupTable } from "./GroupTable.tsx";
import { RankMark } from "./RankMark.tsx";

/** Default order is the server's ranking; incomplete locations are last. */
const byIn: Sort = [{ id: "in", desc: true }];
const { range: _range, compare: _compare, groupBy: _groupBy, open: _open, ...listShape } = locationCountsQuery.shape;

export const CompareCountsPage = () => (useCan().viewType("measurement") ? <Comparison /> : <DeniedList text={text} />);

function useCompareFilters(list: ListState): ListFilter[] {
  return [
    nameFilter(list, text),
    useOwnerFilter(list, text),
    useOwnerTreeFilter(list),
    countryFilter(list),
    occupancyFilter(list),
    tagFilter(list),
  ];
}

function Comparison() {
  const go = useGo();
  const list = useListState(listShape, byIn);
  const { search, setter } = useCountsView();
  const isRanked = list.sort.length === 1 && list.sort[0]?.id === "in" && list.sort[0].desc;
  const { sortBy, ...unsorted } = list.query;
  const [here] = useState(() => todayIn(Intl.DateTimeFormat().resolvedOptions().timeZone));
  const asked = viewOf(search, here);
  const { text: range } = asked.range;
  const { compare, open } = asked;
  const groupBy = groupingOf(search);
  // Without a comparison, the columns of changes can't be sorted.
  const isUnsortable =
    compare === undefined && list.sort.some(({ id }) => id === "change" || id === "conversionChange");
  const answer = useLocationCounts(range, compare, {
    ...unsorted,
    ...(isRanked || isUnsortable || sortBy === undefined ? {} : { sortBy }),
    ...(groupBy === undefined ? {} : { groupBy }),
    ...(open ? { open: "true" } : {}),
  });
  const { data } = answer;
  const rows = data?.objects ?? noRows;
  useWatchedCounts({ measIDs: rows.map(({ _id }) => _id) });
  const today = endsToday(range) && !answer.isPlaceholderData ? (parseDay(data?.last ?? "") ?? here) : here;
  const isTooMany = answer.error instanceof CallError && answer.error.code === errorCode.invalidArgument;
  const mayReport = useMayReport(search);
  const schedule = () => {
    const of = formatSearch({ ...list.filters, range, compare, groupBy, open: open ? undefined : "off" }).slice(1);
    go(paths.newReport + formatSearch({ of }), { query: "none" });
  };
  const view = viewOf(search, today);
  const setView = setter(today);
  // While another grouping is being loaded, the rows shown before are of the wrong kind.
  const isOther = data !== undefined && (data.groups !== undefined) !== (groupBy !== undefined);
  const words = groupBy === undefined ? text : { ...text, counted: text.countedGroups };
  return (
    <ListFrame
      {...(mayReport && { primary: { label: text.schedule, icon: <ScheduleSendRounded />, onClick: schedule } })}
      text={isTooMany ? { ...words, loadFailed: text.tooMany } : words}
      list={list}
      answer={answer}
      onClear={list.clear}
      total={isOther || (answer.isPlaceholderData && data?.total === 0) ? undefined : data?.total}
      filters={useCompareFilters(list)}
      toolbar={
        <>
          <Box data-own-line="" sx={{ order: 1, flex: "1 1 100%", mt: 2, minWidth: 0 }}>
            <RangeControls view={view} today={today} setView={setView} />
          </Box>
          <CompareTools
            range={view.range}
            by={data?.by}
            compare={compare}
            groupBy={groupBy}
            filters={list.filters}
            isOpenOnly={open}
            outside={data?.outside?.in ?? null}
            onOpenOnly={(open) => setView({ open })}
            total={answer.isPlaceholderData ? undefined : data?.total}
          />
        </>
      }
    >
      {groupBy !== undefined ? (
        <GroupTable
          list={list}
          groups={data?.groups}
          groupBy={groupBy}
          isCompared={compare !== undefined}
          total={data?.total}
          isPlaceholder={answer.isPlaceholderData}
          viewKey={`${list.viewKey} ${range} ${compare ?? ""} ${groupBy}`}
          search={{
            ...list.filters,
            range: range === "today" ? undefined : range,
            compare,
            open: open ? undefined : "off",
          }}
        />
      ) : (
        <LocationTable
          list={list}
          rows={rows}
          isLoading={answer.isPending || isOther}
          total={data?.total}
          isPlaceholder={answer.isPlaceholderData}
          range={range}
          compare={compare}
          open={open}
        />
      )}
    </ListFrame>
  );
}

/** The server permits reports about named locations for the user's own account, too, but not by an account with its sub-accounts. */
const useMayReport = ({ ids, ownerTreeID }: SearchParams) =>
  (useMayCreate("editable") === true || ids !== undefined) && ownerTreeID === undefined;

type LocationTableProps = {
  list: ListState;
  rows: readonly LocationCounts[];
  isLoading: boolean;
  total: number | undefined;
  isPlaceholder: boolean;
  range: string;
  compare: Comparison | undefined;
  open: boolean;
};

function LocationTable({ list, rows, range, compare, open, ...shown }: LocationTableProps) {
  const go = useGo();
  const { opened, note } = useOpenedRow();
  return (
    <DataTable
      label={text.title}
      columns={columnsOf(rows, list.sort, compare !== undefined)}
      skeletonRows={12}
      rows={rows}
      rowId={idOf}
      rowLabel={nameOf}
      loading={shown.isLoading}
      sort={list.sort}
      onSortChange={(sort) => list.setSort(sort.slice(-1))}
      total={shown.total ?? rows.length}
      viewKey={`${list.viewKey} ${range} ${compare ?? ""} ${open}`}
      isPlaceholder={shown.isPlaceholder}
      rowHref={({ _id }) => pathTo(_id, range, compare, open)}
      onRowClick={({ _id }) => {
        note(_id);
        go(pathTo(_id, range, compare, open), { query: "none" });
      }}
      returnTo={opened}
      searchText={list.text("name")}
      empty={<EmptyList text={text} filtered={list.active > 0} onShowAll={list.clear} />}
    />
  );
}

const noRows: LocationCounts[] = [];

const idOf = ({ _id }: LocationCounts) => _id;
const nameOf = ({ name }: LocationCounts) => name;

const pathTo = (id: string, range: string, compare: Comparison | undefined, open: boolean) =>
  paths.locationCounts(id) +
  formatSearch({ range: range === "today" ? undefined : range, compare, open: open ? undefined : "off" });

const nameColumn: Column<LocationCounts> = {
  id: "name",
  header: text.name,
  sortable: true,
  minWidth: 260,
  before: ({ rank, closed }) => <RankMark rank={rank} isClosed={closed} />,
  cell: nameOf,
};

const columnsOf = (rows: readonly LocationCounts[], sort: Sort, isCompared: boolean) => [
  nameColumn,
  ...figureColumns<LocationCounts>({
    people: (row) => <PeopleCount counts={row} />,
    changeTip: ({ skippedDays }) => (skippedDays === 0 ? null : text.skippedDays(skippedDays)),
    isCompared,
    hasSales: hasSales(rows, sort),
  }),
];
