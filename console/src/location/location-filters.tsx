// Filters of location lists: country, tags and occupancy license.
import { countryNames } from "@psp/contract/location/country.ts";
import { maxFilterTags } from "@psp/contract/location/location.query.ts";
import { Autocomplete, TextField } from "@mui/material";
import { useState } from "react";
import type { ListState } from "../address/list-state.ts";
import { choiceFilter, type ListFilter, chipsFilter } from "../entity/list/list-filters.tsx";
import { useTypedSuggestion } from "../ui/choice/useTypedSuggestion.ts";
import { SelectField } from "../ui/form/SelectField.tsx";
import { locationText } from "./location.text.ts";
import { TagsField } from "./TagsField.tsx";

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

export function tagFilter(list: ListState): ListFilter {
  const { field: _typed, chips } = chipsFilter(list, "tag", { label: locationText.tags, hint: locationText.tagsHint });
  return {
    field: <TagFilterFields list={list} />,
    chips: [...chips, ...list.chip("tagAny", locationText.anyTag, list.many("tagAny").join(", "))],
  };
}

const matches = [
  ["tag", locationText.matchAll],
  ["tagAny", locationText.matchAny],
] as const;

function TagFilterFields({ list }: { list: ListState }) {
  const [all, any] = [list.many("tag"), list.many("tagAny")];
  const [chosen, setChosen] = useState<"tag" | "tagAny">("tag");
  // A URL may contain both filters. Then the field edits `tag`, and `tagAny` is a chip.
  const match = all.length > 0 ? "tag" : any.length > 0 ? "tagAny" : chosen;
  const { value, onChange } = list.several(match);
  return (
    <>
      <TagsField
        label={locationText.tags}
        value={value}
        onChange={(tags) => onChange(tags.slice(0, maxFilterTags))}
        helperText={value.length < maxFilterTags ? locationText.tagsHint : locationText.mostTags(maxFilterTags)}
      />
      <SelectField<"tag" | "tagAny">
        label={locationText.match}
        value={match}
        onChange={(next) => {
          setChosen(next);
          const tags = [...new Set([...all, ...any])].slice(0, maxFilterTags);
          if (tags.length > 0) list.set({ tag: undefined, tagAny: undefined, [next]: tags });
        }}
        choices={matches}
      />
    </>
  );
}

export const occupancyFilter = (list: ListState): ListFilter =>
  choiceFilter(list, "occupancy", { label: locationText.occupancy, any: locationText.any }, licenses);

const licenses = [
  ["true", locationText.with],
  ["false", locationText.without],
] as const;
