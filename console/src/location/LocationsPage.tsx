// The location list: name, owner with online state, address; filters, order and page in the address (spec 3 §2).
import { createSet } from "@psp/contract/permission/can.ts";
import { locationListQuery } from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import AddRounded from "@mui/icons-material/AddRounded";
import DeleteOutlineRounded from "@mui/icons-material/DeleteOutlineRounded";
import OpenInNewRounded from "@mui/icons-material/OpenInNewRounded";
import Autocomplete from "@mui/material/Autocomplete";
import TextField from "@mui/material/TextField";
import { Outlet } from "@tanstack/react-router";
import { useMemo } from "react";
import { AccountSelect } from "../account/AccountSelect.tsx";
import { OwnerLink } from "../account/OwnerLink.tsx";
import { failureText } from "../api/useFailure.ts";
import { useAccountName } from "../api/useNames.ts";
import { config } from "../config.ts";
import { type ListState, useListState } from "../list-state.ts";
import { useGo } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { useCan, useHoldsAnybody, useOwners } from "../session/useCan.ts";
import { DataTable } from "../ui/DataTable.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import type { ActiveFilter } from "../ui/FilterChips.tsx";
import { ListLayout } from "../ui/ListLayout.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { SearchField } from "../ui/SearchField.tsx";
import type { Column, RowAction, Sort } from "../ui/columns.ts";
import { countryNames } from "./countries.ts";
import { addressLine } from "./location.facts.ts";
import { useLocations } from "./location.queries.ts";
import { locationText } from "./location.text.ts";

const byName: Sort = [{ id: "name", desc: false }];
const noRows: Location[] = [];
const locationId = (location: Location) => location._id;

const columns: readonly Column<Location>[] = [
  { id: "name", header: locationText.name, cell: (location) => location.name, sortable: true },
  { id: "owner", header: locationText.owner, cell: (location) => <OwnerLink owner={location.owner} />, sortable: true },
  { id: "country", header: locationText.address, cell: (location) => addressLine(location) ?? "-", width: "40%" },
];

export function LocationsPage() {
  const can = useCan();
  if (can.viewType("measurement")) return <LocationList />;
  return (
    <>
      <PageHeader title={locationText.title} />
      <EmptyState kind="denied" title={locationText.deniedTitle} text={locationText.denied} />
      <Outlet />
    </>
  );
}

function LocationList() {
  const can = useCan();
  const go = useGo();
  const list = useListState(locationListQuery.shape, byName);
  const { data, isPending, isError, error, refetch } = useLocations(list.query);
  const mayCreate = useHoldsAnybody(useMemo(() => createSet(can.actor, "measurement"), [can.actor])) === true;
  const rows = data?.objects ?? noRows;
  const { ownerOf } = useOwners(rows.map((location) => location.owner._id));
  const create = { label: locationText.create, onClick: () => go(paths.newLocation) };
  const actionsOf = (location: Location): RowAction[] => [
    ...(config.links.analytics === null
      ? []
      : [
          {
            label: `Open analytics of ${location.name}`,
            icon: <OpenInNewRounded />,
            onClick: () => void window.open(`${config.links.analytics}/${location._id}`, "_blank", "noopener"),
          },
        ]),
    ...(can.delete("measurement", ownerOf(location.owner._id))
      ? [
          {
            label: `Delete ${location.name}`,
            icon: <DeleteOutlineRounded />,
            danger: true,
            onClick: () => go(paths.deleteLocation(location._id)),
          },
        ]
      : []),
  ];
  return (
    <>
      <ListLayout
        title={locationText.title}
        primary={mayCreate ? { ...create, icon: <AddRounded /> } : undefined}
        filters={<LocationFilters list={list} />}
        chips={useLocationChips(list)}
        onClear={list.clear}
        page={list.page}
        pageSize={list.pageSize}
        total={data?.total}
        onPageChange={list.setPage}
        failure={
          isError && data === undefined
            ? { title: locationText.loadFailed, text: failureText(error), onRetry: () => void refetch() }
            : undefined
        }
      >
        <DataTable
          label={locationText.title}
          columns={columns}
          rows={rows}
          rowId={locationId}
          rowLabel={(location) => location.name}
          loading={isPending}
          skeletonRows={12}
          sort={list.sort}
          // The server orders locations by one column.
          onSortChange={(sort) => list.setSort(sort.slice(-1))}
          viewKey={list.viewKey}
          onRowClick={(location) => go(paths.locationGeneral(location._id))}
          rowActions={actionsOf}
          empty={
            list.active > 0 ? (
              <EmptyState
                kind="noMatch"
                title={locationText.noMatchTitle}
                text={locationText.noMatchText}
                action={{ label: locationText.showAll, onClick: list.clear }}
              />
            ) : (
              <EmptyState
                kind="none"
                title={locationText.noneTitle}
                text={locationText.noneText}
                {...(mayCreate ? { action: create } : {})}
              />
            )
          }
        />
      </ListLayout>
      <Outlet />
    </>
  );
}

function LocationFilters({ list }: { list: ListState }) {
  return (
    <>
      <SearchField
        label={locationText.search}
        value={list.text("name")}
        onChange={(name) => list.set({ name }, "typed")}
      />
      <AccountSelect
        label={locationText.owner}
        value={list.text("ownerID") || null}
        onChange={(id) => list.set({ ownerID: id ?? undefined })}
        placeholder={locationText.any}
      />
      <Autocomplete
        options={[...countryNames()]}
        value={list.text("country") || null}
        onChange={(_, country) => list.set({ country: country ?? undefined })}
        renderInput={(params) => <TextField {...params} label={locationText.country} placeholder={locationText.any} />}
      />
    </>
  );
}

function useLocationChips(list: ListState): ActiveFilter[] {
  const owner = useAccountName(list.text("ownerID") || null);
  const chip = (id: string, name: string, value: string | undefined): ActiveFilter[] =>
    list.text(id) === "" ? [] : [{ id, name, value: value ?? "…", onRemove: () => list.set({ [id]: undefined }) }];
  return [
    ...chip("name", locationText.name, list.text("name")),
    ...chip("ownerID", locationText.owner, owner),
    ...chip("country", locationText.country, list.many("country").join(", ")),
  ];
}
