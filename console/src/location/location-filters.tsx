// Filters of location lists: country, tags and occupancy license.
import { countryNames } from "@psp/contract/location/country.ts";
import { listLocationTags } from "@psp/contract/location/location.api.ts";
import { Autocomplete, TextField } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ListState } from "../address/list-state.ts";
import { call } from "../api/call.ts";
import { choiceFilter, type ListFilter, chipsFilter } from "../entity/list/list-filters.tsx";
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

/** The field finds locations with all tags. A URL may also ask for any of several tags (`tagAny`). */
export function tagFilter(list: ListState): ListFilter {
  const { field: _typed, chips } = chipsFilter(list, "tag", { label: locationText.tags, hint: locationText.tagsHint });
  return {
    field: <TagsField {...list.several("tag")} />,
    chips: [...chips, ...list.chip("tagAny", locationText.anyTag, list.many("tagAny").join(", "))],
  };
}

function TagsField({ value, onChange }: ReturnType<ListState["several"]>) {
  const [isWanted, setWanted] = useState(false);
  const { data = [] } = useQuery({
    queryKey: ["measurement", "total", "tags"],
    queryFn: ({ signal }) => call(listLocationTags, { query: {}, signal }),
    enabled: isWanted,
  });
  return (
    <Autocomplete
      multiple
      freeSolo
      options={data.map(({ tag }) => tag)}
      value={[...value]}
      onOpen={() => setWanted(true)}
      onChange={(_, tags) => onChange(tags.map((tag) => tag.trim()).filter((tag) => tag !== ""))}
      renderInput={(params) => <TextField {...params} label={locationText.tags} helperText={locationText.tagsHint} />}
    />
  );
}

export const occupancyFilter = (list: ListState): ListFilter =>
  choiceFilter(list, "occupancy", { label: locationText.occupancy, any: locationText.any }, licenses);

const licenses = [
  ["true", locationText.with],
  ["false", locationText.without],
] as const;
