// A choice from many, found by typing: the answers come from outside, and the list says when it doesn't show all of them.
import { Autocomplete, Box, Button, Paper, type PaperProps, TextField } from "@mui/material";
import { useMemo, useState } from "react";
import { useDebounced } from "./useDebounced.ts";

export type SelectOption = {
  id: string;
  label: string;
  /** Small text beside the label. */
  hint?: string | undefined;
};

/** Props that do not depend on what is chosen. */
export type SelectField = {
  label: string;
  id?: string;
  placeholder?: string;
  error?: string | undefined;
  helperText?: string | undefined;
  readOnly?: boolean;
  disabled?: boolean;
  /** Default true: may be emptied. */
  clearable?: boolean;
  required?: boolean;
};

type SearchSelectProps = SelectField & {
  value: SelectOption | null;
  onChange: (option: SelectOption | null) => void;
  options: readonly SelectOption[];
  /** How many match in all; more than `options` is said below the list. */
  total?: number;
  loading?: boolean;
  /** The answers could not be fetched. */
  failed?: boolean;
  /** Fetches them once more; also happens when the list is opened again. */
  onRetry?: () => void;
  /** What was typed, 300 ms after the last key; empty again when the list closes. */
  onSearch: (text: string) => void;
  onOpen?: (() => void) | undefined;
  onClose?: (() => void) | undefined;
};

const debounceMs = 300;

/** The list's paper with a note below the options. */
function MatchesPaper({ children, ...paper }: PaperProps) {
  const note = (paper as { "data-note"?: string })["data-note"];
  return (
    <Paper {...paper}>
      {children}
      {note === undefined ? null : (
        <Box sx={{ px: 3, py: 2, borderTop: 1, borderColor: "divider", color: "text.secondary", fontSize: "0.75rem" }}>
          {note}
        </Box>
      )}
    </Paper>
  );
}

/** What a list without options says when it could not be fetched. */
export function SearchFailed({ onRetry }: { onRetry?: (() => void) | undefined }) {
  return (
    <Box role="alert" sx={{ display: "flex", alignItems: "center", justifyContent: "space-between", gap: 2 }}>
      <span>Search failed</span>
      {onRetry === undefined ? null : (
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Box>
  );
}

export function SearchSelect(props: SearchSelectProps) {
  const { value, options, total, onSearch, failed = false, onRetry, readOnly = false } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const { later: searchLater, cancel } = useDebounced(onSearch, debounceMs);
  const forget = () => {
    cancel();
    setTyped(null);
  };
  const hidden = total === undefined ? 0 : total - options.length;
  // A new object means another choice to MUI, which then writes its label over what is being typed.
  const { id: chosenId, label: chosenLabel } = value ?? {};
  const chosen = useMemo(
    () => (chosenId === undefined || chosenLabel === undefined ? null : { id: chosenId, label: chosenLabel }),
    [chosenId, chosenLabel],
  );
  return (
    <Autocomplete<SelectOption, false, boolean>
      {...(props.id === undefined ? {} : { id: props.id })}
      options={[...options]}
      value={chosen}
      disableClearable={props.clearable === false}
      readOnly={readOnly}
      {...(readOnly ? { forcePopupIcon: false } : {})}
      disabled={props.disabled ?? false}
      loading={props.loading ?? false}
      filterOptions={(all) => all}
      getOptionLabel={(option) => option.label}
      isOptionEqualToValue={(a, b) => a.id === b.id}
      onChange={(_, option) => props.onChange(option)}
      inputValue={typed ?? value?.label ?? ""}
      onInputChange={(_, text, reason) => {
        if (reason !== "input") return forget();
        setTyped(text);
        searchLater(text.trim());
      }}
      onOpen={() => {
        if (failed) onRetry?.();
        props.onOpen?.();
      }}
      onClose={() => {
        forget();
        onSearch("");
        props.onClose?.();
      }}
      noOptionsText={failed ? <SearchFailed onRetry={onRetry} /> : "Nothing found"}
      renderOption={({ key: _key, ...rest }, option) => (
        <Box component="li" {...rest} key={option.id} sx={{ gap: 4 }}>
          <Box component="span" sx={{ mr: "auto", minWidth: 0, overflowWrap: "anywhere" }}>
            {option.label}
          </Box>
          {option.hint === undefined ? null : (
            <Box component="span" sx={{ color: "text.secondary", fontSize: "0.75rem", flex: "none", maxWidth: "50%" }}>
              {option.hint}
            </Box>
          )}
        </Box>
      )}
      slots={{ paper: MatchesPaper }}
      slotProps={{
        paper: {
          "data-note": hidden > 0 ? `${options.length} of ${total} matches. Type in more to see the rest` : undefined,
        } as PaperProps,
      }}
      renderInput={(params) => (
        <TextField
          {...params}
          slotProps={{ ...params.slotProps, input: { ...params.slotProps.input, readOnly } }}
          label={props.label}
          required={props.required ?? false}
          error={props.error !== undefined}
          helperText={props.error ?? props.helperText}
          placeholder={props.placeholder ?? ""}
        />
      )}
    />
  );
}
