// The location list: name, owner with online state, address; filters, order and page in the address (spec 3 §2).
import { locationListQuery } from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import OpenInNewRounded from "@mui/icons-material/OpenInNewRounded";
import { Autocomplete, TextField } from "@mui/material";
import { OwnerLink } from "../entity/reference/OwnerLink.tsx";
import { config } from "../config.ts";
import { type ListFilter, nameFilter, useOwnerFilter } from "../entity/list-filters.tsx";
import { DeleteOwned } from "../entity/DeleteOwned.tsx";
import { DeniedList, ListPage } from "../entity/list-page.tsx";
import { type ListState, useListState } from "../address/list-state.ts";
import { paths } from "../address/paths.ts";
import { useCan } from "../session/useCan.ts";
import type { Column, RowAction, Sort } from "../ui/table/columns.ts";
import { addressLine, countryNames } from "./location.facts.ts";
import { location } from "./location.entity.ts";
import { locationText } from "./location.text.ts";

const byName: Sort = [{ id: "name", desc: false }];

const columns: readonly Column<Location>[] = [
  { id: "name", header: locationText.name, cell: ({ name }) => name, sortable: true },
  { id: "owner", header: locationText.owner, cell: ({ owner }) => <OwnerLink owner={owner} />, sortable: true },
  { id: "country", header: locationText.address, cell: (row) => addressLine(row) ?? "-", width: "40%" },
];

export function LocationsPage() {
  return useCan().viewType("measurement") ? <LocationList /> : <DeniedList text={locationText} />;
}

export const DeleteLocationDialog = () => <DeleteOwned entity={location} />;

function LocationList() {
  const list = useListState(locationListQuery.shape, byName);
  return (
    <ListPage
      entity={location}
      text={locationText}
      // The server orders locations by one column.
      list={{ ...list, setSort: (sort) => list.setSort(sort.slice(-1)) }}
      answer={location.useList(list.query)}
      columns={columns}
      skeletonRows={12}
      rowPath={({ _id }) => paths.locationGeneral(_id)}
      rowActions={analyticsAction}
      create={{ label: locationText.create, path: paths.newLocation }}
      filters={[nameFilter(list, locationText), useOwnerFilter(list, locationText), countryFilter(list)]}
    />
  );
}

function analyticsAction({ _id, name }: Location): RowAction[] {
  const { analytics } = config.links;
  if (analytics === null) return [];
  return [
    {
      label: `Open analytics of ${name}`,
      icon: <OpenInNewRounded />,
      onClick: () => void window.open(`${analytics}/${_id}`, "_blank", "noopener"),
    },
  ];
}

function countryFilter(list: ListState): ListFilter {
  const { value, onChange } = list.chosen("country");
  return {
    field: (
      <Autocomplete
        options={[...countryNames()]}
        value={value}
        onChange={(_, name) => onChange(name)}
        renderInput={(params) => <TextField {...params} label={locationText.country} placeholder={locationText.any} />}
      />
    ),
    chips: list.chip("country", locationText.country, list.many("country").join(", ")),
  };
}
