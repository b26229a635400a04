// Filters that the lists of locations share: country and occupancy license.
import { countryNames } from "@psp/contract/location/country.ts";
import { Autocomplete, TextField } from "@mui/material";
import type { ListState } from "../address/list-state.ts";
import { choiceFilter, type ListFilter } from "../entity/list/list-filters.tsx";
import { useTypedSuggestion } from "../ui/choice/useTypedSuggestion.ts";
import { locationText } from "./location.text.ts";

export function countryFilter(list: ListState): ListFilter {
  return {
    field: <CountryField {...list.chosen("country")} />,
    chips: list.chip("country", locationText.country, list.many("country").join(", ")),
  };
}

function CountryField({ value, onChange }: ReturnType<ListState["chosen"]>) {
  const suggestion = useTypedSuggestion();
  return (
    <Autocomplete
      options={[...countryNames()]}
      value={value}
      onChange={(_, name) => onChange(name)}
      {...suggestion}
      renderInput={(params) => <TextField {...params} label={locationText.country} placeholder={locationText.any} />}
    />
  );
}

export const occupancyFilter = (list: ListState): ListFilter =>
  choiceFilter(list, "occupancy", { label: locationText.occupancy, any: locationText.any }, licenses);

const licenses = [
  ["true", locationText.with],
  ["false", locationText.without],
] as const;
