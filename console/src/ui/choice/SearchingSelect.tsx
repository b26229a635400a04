// Lazily loaded part of SearchSelect: a list that is searched by typing.
import { Autocomplete, Box, Button, Paper, type PaperProps, TextField } from "@mui/material";
import { useMemo, useState } from "react";
import { type EarlyInput, useFocusHandover } from "./lazyField.ts";
import type { SearchSelectProps, SelectOption } from "./SearchSelect.tsx";
import { useDebounced } from "../form/useDebounced.ts";

const debounceMs = 300;

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

/** Undefined if there are no matches or their number is unknown. */
function matchesNote(shown: number, total: number | undefined): string | undefined {
  if (total === undefined || total === 0) return undefined;
  const counted = `${shown} of ${total} matches`; // fixed
  return shown < total ? `${counted}. Type in more to see the rest` : counted; // fixed
}

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

/** Returns the previous object while id and label stay the same, because MUI overwrites typed text whenever the object changes. */
function useStableOption(value: SelectOption | null): SelectOption | null {
  const { id, label } = value ?? {};
  return useMemo(() => (id === undefined || label === undefined ? null : { id, label }), [id, label]);
}

export function SearchingSelect({ earlyInput, ...props }: SearchSelectProps & { earlyInput: EarlyInput }) {
  const { value, options, total, onSearch, failed = false, onRetry, readOnly = false } = props;
  const chosen = useStableOption(value);
  const [typed, setTyped] = useState(earlyInput.typed);
  const [open, setOpen] = useState(false);
  const { later: searchLater, cancel } = useDebounced(onSearch, debounceMs);
  const forget = () => {
    cancel();
    setTyped(null);
  };
  const onOpen = () => {
    setOpen(true);
    if (failed) onRetry?.();
    props.onOpen?.();
  };
  const takeOver = useFocusHandover(earlyInput, () => {
    if (earlyInput.typed !== null) {
      setTyped(earlyInput.typed);
      searchLater(earlyInput.typed.trim());
    }
    if (earlyInput.shouldOpen) onOpen();
  });
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
      open={open}
      onOpen={onOpen}
      onClose={() => {
        setOpen(false);
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
          "data-note": failed ? undefined : matchesNote(options.length, total),
        } as PaperProps,
      }}
      renderInput={(params) => (
        <TextField
          {...params}
          ref={takeOver}
          slotProps={{
            ...params.slotProps,
            input: { ...params.slotProps.input, readOnly },
            htmlInput: { ...params.slotProps.htmlInput, onInput: () => open || readOnly || onOpen() },
          }}
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
