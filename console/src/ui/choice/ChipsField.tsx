// Field for several short texts as chips, which Enter or a comma adds. Text that isn't a chip yet can be saved, too.
import { Chip, TextField } from "@mui/material";
import { type ChangeEvent, type KeyboardEvent, useState } from "react";
import { createLazyField, useLazyField } from "./lazyField.ts";

type ChipsFieldProps = {
  label: string;
  value: readonly string[];
  onChange: (value: string[]) => void;
  /** Reports text that isn't a chip yet, so that saving can include it. */
  onPending?: (text: string) => void;
  /** A different key discards pending text. */
  resetKey?: string | number;
  readOnly?: boolean;
  error?: string | undefined;
  helperText?: string | undefined;
  /** Existing texts, offered in a list. */
  suggestions?: readonly Suggestion[] | undefined;
  /** Called when the list of suggestions opens, so that they can be fetched. */
  onSuggest?: () => void;
};

/** `note` is shown beside the text; screen readers read `noteLabel` instead. */
export type Suggestion = { text: string; note: string; noteLabel: string };

/** Splits `pending` at commas, and adds the texts to `chips`, without empty texts and duplicates. */
export function addPendingChips(chips: readonly string[], pending: string): string[] {
  const more = pending
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "" && !chips.includes(text));
  return [...chips, ...new Set(more)];
}

/** `field` has props for ChipsField. `saved` clears the pending text, unless it has changed since `sent` was sent. */
export function usePendingChip() {
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
  return <Typing key={props.resetKey} {...props} />;
}

const lazyChips = createLazyField(async () => (await import("./ChipsInput.tsx")).ChipsInput);

function Typing({ value, onChange, onPending, suggestions, onSuggest, ...look }: ChipsFieldProps) {
  const [typed, setTyped] = useState("");
  const type = (text: string) => {
    setTyped(text);
    onPending?.(text);
  };
  const add = () => {
    if (typed.trim() === "") return;
    onChange(addPendingChips(value, typed));
    type("");
  };
  const { label, readOnly = false, error, helperText } = look;
  const { Field, earlyInput, handlers } = useLazyField(lazyChips, { isReadOnly: readOnly, eager: value.length > 0 });
  const shown = { label, error: error !== undefined, helperText: error ?? helperText };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== ",") return;
    if (event.key === "Enter" && (typed.trim() === "" || isSuggestionActive(event))) return;
    event.preventDefault();
    event.stopPropagation();
    add();
  };
  if (Field !== null)
    return (
      <Field
        {...{ value, onChange, typed, type, readOnly, earlyInput, suggestions, onSuggest }}
        field={{ ...shown, onBlur: add, onKeyDown }}
      />
    );
  return (
    <TextField
      {...shown}
      value={typed}
      onKeyDown={(event: KeyboardEvent<HTMLInputElement>) => {
        if (suggestions !== undefined) handlers.onKeyDown(event);
        onKeyDown(event);
      }}
      slotProps={{
        htmlInput: {
          ...plainChips,
          onFocus: handlers.onFocus,
          ...(suggestions === undefined ? {} : { onMouseDown: handlers.onMouseDown }),
          onBlur: () => {
            handlers.onBlur();
            add();
          },
          onChange: (event: ChangeEvent<HTMLInputElement>) => type(event.target.value),
        },
        input: {
          readOnly,
          sx: { flexWrap: "wrap", "&&&": { p: "4px 8px" }, "&&& > input": plainInput },
          startAdornment: value.map((text) => <Chip key={text} size="small" label={text} sx={{ m: "2px" }} />),
        },
      }}
    />
  );
}

/** Enter then chooses the suggestion that was reached with the arrow keys. */
const isSuggestionActive = ({ target }: KeyboardEvent) =>
  target instanceof Element && target.hasAttribute("aria-activedescendant");

const plainInput = { p: "4px 2px", width: 0, minWidth: 30, flexGrow: 1 };
/** Same accessibility attributes as the loaded field. */
const plainChips = {
  role: "combobox",
  "aria-autocomplete": "list",
  "aria-expanded": false,
  autoComplete: "off",
  autoCapitalize: "none",
  spellCheck: false,
} as const;
