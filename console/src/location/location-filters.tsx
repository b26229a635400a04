// Filters that the lists of locations share: country and occupancy license.
import { countryNames } from "@psp/contract/location/country.ts";
import { Autocomplete, TextField } from "@mui/material";
import type { ListState } from "../address/list-state.ts";
import { choiceFilter, type ListFilter } from "../entity/list/list-filters.tsx";
import { locationText } from "./location.text.ts";

export function countryFilter(list: ListState): ListFilter {
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

export const occupancyFilter = (list: ListState): ListFilter =>
  choiceFilter(list, "occupancy", { label: locationText.occupancy, any: locationText.any }, licenses);

const licenses = [
  ["true", locationText.with],
  ["false", locationText.without],
] as const;
