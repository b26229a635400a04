// Vehicles as a view beside the list of sensors: their current load as a list or on a map (docs/rules/vehicles.md#vehicles-page).
import { vehicleStates } from "@psp/contract/vehicle/vehicle-states.ts";
import { MenuItem, Skeleton, TextField, ToggleButton, ToggleButtonGroup } from "@mui/material";
import { styled } from "@mui/material/styles";
import { lazy, Suspense, useCallback, useDeferredValue, useMemo, useState } from "react";
import { type ListState, useListState } from "../address/list-state.ts";
import { useSearchParameter } from "../address/navigation.tsx";
import { flag, ids, oneOf, paging, someOf, text as textParameter } from "../address/parameters.ts";
import { EmptyList } from "../entity/list/list-empty.tsx";
import {
  choiceFilter,
  type FilterChoice,
  type ListFilter,
  searchFilter,
  textFilter,
  useOwnerFilter,
} from "../entity/list/list-filters.tsx";
import { ListFrame } from "../entity/list/list-frame.tsx";
import type { Sort } from "../ui/table/columns.ts";
import { useFrozenOrder } from "../ui/table/frozenOrder.ts";
import { useLiveLevels } from "./live-levels.ts";
import { useVehicles, useVehicleTotal } from "./vehicle.queries.ts";
import { vehicleText as text } from "./vehicle.text.ts";
import { VehicleRow } from "./VehicleRow.tsx";
import { ViewSwitch } from "./ViewSwitch.tsx";

const VehiclesMap = lazy(() =>
  import("./VehiclesMap.tsx").then(({ VehiclesMap: component }) => ({ default: component })),
);

const byId: Sort = [{ id: "vehicleId", desc: false }];

const parameters = {
  ...paging(["vehicleId", "line", "state", "percent", "at"]),
  vehicleID: textParameter,
  line: textParameter,
  state: someOf(vehicleStates),
  ownerID: ids,
  viewType: oneOf(["vehicles"]),
  map: flag,
  vehicle: textParameter,
};
const filterNames = ["vehicleID", "line", "state", "ownerID"] as const;
/** Maximum of one response. */
const mapLimit = "500";

const states = vehicleStates.map((state): FilterChoice => [state, text.states[state]]);
const none: never[] = [];
const idOf = ({ _id }: { _id: string }) => _id;

const Rows = styled("ul")(({ theme }) => ({
  margin: 0,
  padding: 0,
  listStyle: "none",
  border: `1px solid ${theme.vars.palette.divider}`,
  borderRadius: 6,
  backgroundColor: theme.vars.palette.background.paper,
  "& > :last-of-type": { borderBottom: 0 },
}));

export function VehiclesPage() {
  useLiveLevels();
  const list = useListState(parameters, byId);
  const isMap = list.text("map") === "true";
  const { viewType: _view, map: _map, vehicle: _vehicle, ...query } = list.query;
  const { skip: _skip, ...whole } = query;
  const answer = useVehicles(isMap ? { ...whole, limit: mapLimit } : query);
  const all = useVehicleTotal();
  const isFiltered = filterNames.some((name) => list.text(name) !== "");
  const clear = () => list.set(Object.fromEntries(filterNames.map((name) => [name, undefined])));
  // Deferred, so that rendering many changed rows doesn't block input.
  const rows = useDeferredValue(answer.data?.objects ?? none);
  const total = answer.data?.total;
  const [opened, open] = useOpened();
  return (
    <ListFrame
      text={text}
      list={list}
      answer={answer}
      filters={useFilters(list, isMap)}
      onClear={clear}
      clearLabel={text.showAll}
      // The map has no pages.
      total={isMap ? undefined : total}
      all={isMap ? total : all}
      toolbar={<Controls list={list} isMap={isMap} />}
    >
      {total === 0 && !answer.isPlaceholderData ? (
        <EmptyList text={text} filtered={isFiltered} onShowAll={clear} create={undefined} />
      ) : isMap ? (
        <Suspense fallback={<Skeleton variant="rounded" height={480} />}>
          <VehiclesMap vehicles={rows} total={total ?? 0} onOpen={open} />
          <Rows aria-label={text.title} hidden={!rows.some(({ _id }) => _id === opened)}>
            {rows
              .filter(({ _id }) => _id === opened)
              .map((vehicle) => (
                <VehicleRow key={vehicle._id} vehicle={vehicle} isOpen hasOwner={false} onToggle={open} />
              ))}
          </Rows>
        </Suspense>
      ) : (
        <VehicleList
          rows={rows}
          isLoading={rows === none}
          view={{ key: `${list.viewKey} ${JSON.stringify(list.sort)}`, isPlaceholder: answer.isPlaceholderData }}
          opened={opened}
          onToggle={open}
        />
      )}
    </ListFrame>
  );
}

/** The opened vehicle is in the URL. Opening it again closes it. */
function useOpened(): readonly [string | null, (id: string) => void] {
  const [opened, setOpened] = useSearchParameter("vehicle");
  const toggle = useCallback((id: string) => setOpened(opened === id ? null : id), [opened, setOpened]);
  return [opened, toggle];
}

type VehicleListProps = {
  rows: NonNullable<ReturnType<typeof useVehicles>["data"]>["objects"];
  isLoading: boolean;
  view: { key: string; isPlaceholder: boolean };
  opened: string | null;
  onToggle: (id: string) => void;
};

function VehicleList({ rows, isLoading, view, opened, onToggle }: VehicleListProps) {
  const [isHovered, setIsHovered] = useState(false);
  const placed = useFrozenOrder(rows, idOf, isHovered && !isLoading, view);
  const hasOwners = useMemo(() => new Set(rows.map(({ owner }) => owner._id)).size > 1, [rows]);
  if (isLoading)
    return (
      <Rows aria-label={text.title} aria-busy>
        {Array.from({ length: 8 }, (_, index) => (
          <Skeleton key={index} component="li" variant="text" height={60} sx={{ mx: 3 }} />
        ))}
      </Rows>
    );
  return (
    <Rows
      aria-label={text.title}
      onPointerEnter={({ pointerType }) => setIsHovered(pointerType !== "touch")}
      onPointerLeave={() => setIsHovered(false)}
    >
      {placed.map(({ row, gone }) =>
        gone ? null : (
          <VehicleRow
            key={row._id}
            vehicle={row}
            isOpen={row._id === opened}
            hasOwner={hasOwners}
            onToggle={onToggle}
          />
        ),
      )}
    </Rows>
  );
}

function Controls({ list, isMap }: { list: ListState; isMap: boolean }) {
  return (
    <>
      <ViewSwitch view="vehicles" />
      <ToggleButtonGroup
        exclusive
        size="small"
        aria-label={text.show}
        value={isMap ? "map" : "list"}
        onChange={(_, shown: string | null) =>
          shown === null ? undefined : list.set({ map: shown === "map" ? "true" : undefined })
        }
      >
        <ToggleButton value="list">{text.asList}</ToggleButton>
        <ToggleButton value="map">{text.asMap}</ToggleButton>
      </ToggleButtonGroup>
    </>
  );
}

function SortField({ list }: { list: ListState }) {
  const [first] = list.sort;
  const sorted = first === undefined ? "vehicleId" : `${first.desc ? "-" : ""}${first.id}`;
  return (
    <TextField
      select
      label={text.sort}
      value={sorted in text.sorts ? sorted : ""}
      onChange={({ target: { value } }) => list.setSort([{ id: value.replace(/^-/, ""), desc: value.startsWith("-") }])}
    >
      {Object.entries(text.sorts).map(([value, label]) => (
        <MenuItem key={value} value={value}>
          {label}
        </MenuItem>
      ))}
    </TextField>
  );
}

const useFilters = (list: ListState, isMap: boolean): ListFilter[] => [
  searchFilter(list, "vehicleID", { search: text.search, name: text.vehicle }),
  ...(isMap ? [] : [{ field: <SortField list={list} />, chips: [] }]),
  choiceFilter(list, "state", { label: text.state, any: text.any }, states),
  textFilter(list, "line", { search: text.searchLine, name: text.line }),
  useOwnerFilter(list, text),
];
