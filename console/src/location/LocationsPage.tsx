// The location list: name, owner with online state, address; filters, order and page in the address (spec 3 §2).
import { locationListQuery } from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import OpenInNewRounded from "@mui/icons-material/OpenInNewRounded";
import Autocomplete from "@mui/material/Autocomplete";
import TextField from "@mui/material/TextField";
import { AccountSelect } from "../entity/reference/AccountSelect.tsx";
import { OwnerLink } from "../entity/reference/OwnerLink.tsx";
import { useAccountName } from "../entity/reference/useNames.ts";
import { config } from "../config.ts";
import { DeniedList, ListPage, useDeletion } from "../entity/list-page.tsx";
import { type ListState, useListState } from "../address/list-state.ts";
import { paths } from "../address/paths.ts";
import { useCan, useMayCreate } from "../session/useCan.ts";
import type { ActiveFilter } from "../ui/table/FilterChips.tsx";
import { SearchField } from "../ui/table/SearchField.tsx";
import type { Column, RowAction, Sort } from "../ui/table/columns.ts";
import { countryNames } from "./countries.ts";
import { addressLine } from "./location.facts.ts";
import { useLocations } from "./location.queries.ts";
import { locationText } from "./location.text.ts";

const byName: Sort = [{ id: "name", desc: false }];

const columns: readonly Column<Location>[] = [
  { id: "name", header: locationText.name, cell: (location) => location.name, sortable: true },
  { id: "owner", header: locationText.owner, cell: (location) => <OwnerLink owner={location.owner} />, sortable: true },
  { id: "country", header: locationText.address, cell: (location) => addressLine(location) ?? "-", width: "40%" },
];

export function LocationsPage() {
  return useCan().viewType("measurement") ? <LocationList /> : <DeniedList text={locationText} />;
}

function LocationList() {
  const list = useListState(locationListQuery.shape, byName);
  const answer = useLocations(list.query);
  const mayCreate = useMayCreate("measurement") === true;
  const deletion = useDeletion(
    "measurement",
    answer.data?.objects,
    ({ name }) => `Delete ${name}`,
    paths.deleteLocation,
  );
  return (
    <ListPage
      text={locationText}
      // The server orders locations by one column.
      list={{ ...list, setSort: (sort) => list.setSort(sort.slice(-1)) }}
      answer={answer}
      columns={columns}
      skeletonRows={12}
      rowLabel={(location) => location.name}
      rowPath={(location) => paths.locationGeneral(location._id)}
      rowActions={(location) => [...analyticsAction(location), ...deletion(location)]}
      create={mayCreate ? { label: locationText.create, path: paths.newLocation } : undefined}
      filters={<LocationFilters list={list} />}
      chips={useLocationChips(list)}
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

function LocationFilters({ list }: { list: ListState }) {
  const country = list.chosen("country");
  return (
    <>
      <SearchField label={locationText.search} {...list.typed("name")} />
      <AccountSelect label={locationText.owner} {...list.chosen("ownerID")} placeholder={locationText.any} />
      <Autocomplete
        options={[...countryNames()]}
        value={country.value}
        onChange={(_, name) => country.onChange(name)}
        renderInput={(params) => <TextField {...params} label={locationText.country} placeholder={locationText.any} />}
      />
    </>
  );
}

function useLocationChips(list: ListState): ActiveFilter[] {
  const owner = useAccountName(list.text("ownerID") || null);
  return [
    ...list.chip("name", locationText.name, list.text("name")),
    ...list.chip("ownerID", locationText.owner, owner),
    ...list.chip("country", locationText.country, list.many("country").join(", ")),
  ];
}
