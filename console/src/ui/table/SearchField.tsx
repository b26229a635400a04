// A live search box: tells its text 300 ms after the last key, at once on Enter, and can be emptied with one click.
import CloseRounded from "@mui/icons-material/CloseRounded";
import SearchRounded from "@mui/icons-material/SearchRounded";
import { IconButton, InputAdornment, TextField } from "@mui/material";
import { useEffect, useRef, useState } from "react";
import { useDebounced } from "../form/useDebounced.ts";

type SearchFieldProps = {
  /** Visible label, e.g. "Search by name". */
  label: string;
  value: string;
  onChange: (value: string) => void;
};

const debounceMs = 300;

export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  // The value, and what was told since and has not come back yet, in order.
  const told = useRef([value]);
  const tellOnce = (text: string) => {
    if (text === told.current.at(-1)) return;
    told.current.push(text);
    onChange(text);
  };
  const { later: tellLater, cancel } = useDebounced(tellOnce, debounceMs);
  const tell = (text: string) => {
    cancel();
    tellOnce(text);
  };
  // The value may change from outside (Clear all, Back); typing in progress is not overwritten by its own echo.
  useEffect(() => {
    const at = told.current.indexOf(value);
    told.current = at < 0 ? [value] : told.current.slice(at);
    if (at >= 0) return;
    cancel();
    setTyped(value);
  }, [value, cancel]);
  return (
    <TextField
      label={label}
      value={typed}
      autoComplete="off"
      onChange={(event) => {
        const text = event.target.value;
        setTyped(text);
        tellLater(text);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") tell(typed);
        if (event.key === "Escape" && typed !== "") {
          event.stopPropagation();
          setTyped("");
          tell("");
        }
      }}
      slotProps={{
        htmlInput: { inputMode: "search", enterKeyHint: "search" },
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
                    tell("");
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
