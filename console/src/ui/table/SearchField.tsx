// A search field that reports its text 300 ms after the last key, or immediately on Enter, and has a clear button.
import CloseRounded from "~icons/ic/round-close";
import SearchRounded from "~icons/ic/round-search";
import { IconButton, InputAdornment, TextField } from "@mui/material";
import { useEffect, useRef, useState } from "react";
import { useDebounced } from "../form/useDebounced.ts";

type SearchFieldProps = {
  /** Visible label, e.g. "Search by name". */
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Shows the label as placeholder, where there is no room above the field. */
  bare?: boolean;
};

const debounceMs = 300;

export function SearchField({ label, value, onChange, bare = false }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  // `value`, followed by the reported texts that the page hasn't passed back as `value` yet, in order.
  const reported = useRef([value]);
  const reportOnce = (text: string) => {
    if (text === reported.current.at(-1)) return;
    reported.current.push(text);
    onChange(text);
  };
  const { later: reportLater, cancel } = useDebounced(reportOnce, debounceMs);
  const report = (text: string) => {
    cancel();
    reportOnce(text);
  };
  // Shows a value that the page sets (Clear all, Back), but ignores reported texts that come back while the user types.
  useEffect(() => {
    const at = reported.current.indexOf(value);
    reported.current = at < 0 ? [value] : reported.current.slice(at);
    if (at >= 0) return;
    cancel();
    setTyped(value);
  }, [value, cancel]);
  return (
    <TextField
      {...(bare ? { placeholder: label } : { label })}
      value={typed}
      autoComplete="off"
      onChange={(event) => {
        const text = event.target.value;
        setTyped(text);
        reportLater(text);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") report(typed);
        if (event.key === "Escape" && typed !== "") {
          event.stopPropagation();
          setTyped("");
          report("");
        }
      }}
      slotProps={{
        htmlInput: { inputMode: "search", enterKeyHint: "search", ...(bare && { "aria-label": label }) },
        input: {
          startAdornment: (
            <InputAdornment position="start" sx={{ mr: 0 }}>
              <SearchRounded sx={{ fontSize: 18 }} aria-hidden />
            </InputAdornment>
          ),
          endAdornment:
            typed === "" ? null : (
              <InputAdornment position="end">
                <IconButton
                  size="small"
                  edge="end"
                  // Doesn't repeat the field's label, which must stay unique to the field.
                  aria-label="Clear search"
                  onClick={() => {
                    setTyped("");
                    report("");
                  }}
                >
                  <CloseRounded />
                </IconButton>
              </InputAdornment>
            ),
        },
      }}
    />
  );
}
