// Several short texts in one field: Enter or comma makes a chip, and what is still being typed counts, too.
import { Autocomplete, TextField } from "@mui/material";
import { useState } from "react";

type ChipsFieldProps = {
  label: string;
  value: readonly string[];
  onChange: (value: string[]) => void;
  /** Reports what is typed and not yet a chip, so that saving can add it. */
  onPending?: (text: string) => void;
  /** Changes when pending text is to be thrown away. */
  resetKey?: string | number;
  readOnly?: boolean;
  error?: string | undefined;
  helperText?: string | undefined;
};

/** Adds `pending` to `chips` as saving does: trimmed, not empty, not twice. */
export function withPending(chips: readonly string[], pending: string): string[] {
  const more = pending
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "" && !chips.includes(text));
  return [...chips, ...new Set(more)];
}

/** The text that is not yet a chip, and `field` for the field it is typed into; `saved(text)` leaves what was typed since. */
export function usePending() {
  const [{ text, resetKey }, setPending] = useState({ text: "", resetKey: 0 });
  const drop = () => setPending((now) => ({ text: "", resetKey: now.resetKey + 1 }));
  return {
    text,
    field: { onPending: (typed: string) => setPending((now) => ({ ...now, text: typed })), resetKey },
    drop,
    saved: (sent: string) => setPending((now) => (now.text === sent ? { text: "", resetKey: now.resetKey + 1 } : now)),
  };
}

export function ChipsField(props: ChipsFieldProps) {
  return <Field key={props.resetKey} {...props} />;
}

function Field({ label, value, onChange, onPending, readOnly = false, error, helperText }: ChipsFieldProps) {
  const [typed, setTyped] = useState("");
  const type = (text: string) => {
    setTyped(text);
    onPending?.(text);
  };
  const add = () => {
    if (typed.trim() === "") return;
    onChange(withPending(value, typed));
    type("");
  };
  return (
    <Autocomplete
      multiple
      freeSolo
      disableClearable
      options={[]}
      value={[...value]}
      inputValue={typed}
      readOnly={readOnly}
      onInputChange={(_, text, reason) => {
        if (reason === "input") type(text);
      }}
      onChange={(_, next) => {
        // Enter adds the whole typed text through `add`; here only chips are removed.
        if (next.length < value.length) onChange(next);
      }}
      renderInput={(params) => (
        <TextField
          {...params}
          label={label}
          error={error !== undefined}
          helperText={error ?? helperText}
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key !== "Enter" && event.key !== ",") return;
            if (event.key === "Enter" && typed.trim() === "") return;
            event.preventDefault();
            event.stopPropagation();
            add();
          }}
        />
      )}
    />
  );
}
