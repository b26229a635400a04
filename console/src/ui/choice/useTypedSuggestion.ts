// For an Autocomplete over a fixed list: leaving the field takes the suggestion for what was typed, so that it isn't lost.
import { type AutocompleteInputChangeReason, createFilterOptions, type FilterOptionsState } from "@mui/material";
import { type SyntheticEvent, useState } from "react";

const matching = createFilterOptions<string>();

/** Options that begin with the typed text come before those that only contain it: 'Ger' means Germany, not Algeria. */
function filterOptions(options: string[], state: FilterOptionsState<string>): string[] {
  const typed = state.inputValue.trim().toLowerCase();
  const found = matching(options, state);
  const begins = (option: string) => option.toLowerCase().startsWith(typed);
  return [...found.filter(begins), ...found.filter((option) => !begins(option))];
}

/** Props of the Autocomplete. A list that was only opened gives nothing. */
export function useTypedSuggestion() {
  const [isTyped, setTyped] = useState(false);
  return {
    filterOptions,
    autoHighlight: isTyped,
    autoSelect: isTyped,
    onInputChange: (_event: SyntheticEvent, text: string, reason: AutocompleteInputChangeReason) =>
      setTyped(reason === "input" && text.trim() !== ""),
  };
}
