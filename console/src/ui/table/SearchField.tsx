// A live search box: tells its text 300 ms after the last key, at once on Enter, and can be emptied with one click.
import CloseRounded from "@mui/icons-material/CloseRounded";
import SearchRounded from "@mui/icons-material/SearchRounded";
import IconButton from "@mui/material/IconButton";
import InputAdornment from "@mui/material/InputAdornment";
import TextField from "@mui/material/TextField";
import { useEffect, useRef, useState } from "react";

type SearchFieldProps = {
  /** Visible label, e.g. "Search by name". */
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  /** Default 300. */
  debounceMs?: number;
};

/** Props: `label`, `value`, `onChange(text)`, `placeholder?`, `debounceMs?`. */
export function SearchField({ label, value, onChange, placeholder, debounceMs = 300 }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // The value, and what was told since and has not come back yet, in order.
  const told = useRef([value]);
  // The newest one: another field may have changed the address while this one waits.
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  // The value may change from outside (Clear all, Back); typing in progress is not overwritten by its own echo.
  useEffect(() => {
    const at = told.current.indexOf(value);
    told.current = at < 0 ? [value] : told.current.slice(at);
    if (at >= 0) return;
    clearTimeout(timer.current);
    setTyped(value);
  }, [value]);
  const tell = (text: string) => {
    clearTimeout(timer.current);
    if (text === told.current.at(-1)) return;
    told.current.push(text);
    latest.current(text);
  };
  return (
    <TextField
      label={label}
      value={typed}
      placeholder={placeholder ?? ""}
      autoComplete="off"
      onChange={(event) => {
        const text = event.target.value;
        setTyped(text);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => tell(text), debounceMs);
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
