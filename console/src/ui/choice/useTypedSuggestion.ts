// For an Autocomplete over a fixed list: on blur, selects the suggestion for the typed text, so that it isn't lost.
import { type AutocompleteInputChangeReason, createFilterOptions, type FilterOptionsState } from "@mui/material";
import { type SyntheticEvent, useState } from "react";

const matching = createFilterOptions<string>();

/** Ranks options that start with the typed text first: 'Ger' means Germany, not Algeria. */
function filterOptions(options: string[], state: FilterOptionsState<string>): string[] {
  const typed = state.inputValue.trim().toLowerCase();
  const found = matching(options, state);
  const begins = (option: string) => option.toLowerCase().startsWith(typed);
  return [...found.filter(begins), ...found.filter((option) => !begins(option))];
}

/** Props of the Autocomplete. Opening the list without typing selects nothing. */
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
