// A live search box: reports its text 300 ms after the last key, at once on Enter, and can be emptied with one click.
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
  /** Says what it is inside, where a line above it has no room. */
  bare?: boolean;
};

const debounceMs = 300;

export function SearchField({ label, value, onChange, bare = false }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  // The value, and what was reported since and has not come back yet, in order.
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
  // The value may change from outside (Clear all, Back); typing in progress is not overwritten by its own echo.
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
                  // Not the field's own name once more: that stays the field's alone.
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
