// Lazily loaded input of a ChipsField, with keyboard navigation, removal of chips, and suggestions.
import { Autocomplete, Box, TextField, type TextFieldProps } from "@mui/material";
import { useState } from "react";
import { visuallyHidden } from "../visuallyHidden.ts";
import type { Suggestion } from "./ChipsField.tsx";
import { type EarlyInput, useFocusHandover } from "./lazyField.ts";

type ChipsInputProps = {
  value: readonly string[];
  onChange: (value: string[]) => void;
  typed: string;
  type: (text: string) => void;
  readOnly: boolean;
  earlyInput: EarlyInput;
  suggestions: readonly Suggestion[] | undefined;
  onSuggest: (() => void) | undefined;
  field: Pick<TextFieldProps, "label" | "error" | "helperText" | "onBlur" | "onKeyDown">;
};

export function ChipsInput({ value, onChange, typed, type, readOnly, earlyInput, field, ...props }: ChipsInputProps) {
  const { suggestions = [], onSuggest } = props;
  const [open, setOpen] = useState(false);
  const openList = () => {
    if (props.suggestions === undefined) return;
    setOpen(true);
    onSuggest?.();
  };
  const takeOver = useFocusHandover({ ...earlyInput, typed }, () => {
    if (earlyInput.shouldOpen || typed !== "") openList();
  });
  const notes = new Map(suggestions.map((each) => [each.text, each]));
  return (
    <Autocomplete
      multiple
      freeSolo
      disableClearable
      filterSelectedOptions
      options={suggestions.map(({ text }) => text)}
      value={[...value]}
      inputValue={typed}
      readOnly={readOnly}
      open={open}
      onOpen={openList}
      onClose={() => setOpen(false)}
      onInputChange={(_, text, reason) => {
        if (reason === "input") type(text);
      }}
      onChange={(_, next, reason) => {
        // Typed text is added by ChipsField.
        if (reason === "createOption") return;
        onChange(next);
        if (reason === "selectOption") type("");
      }}
      renderOption={({ key: _key, ...option }, text) => (
        <Box component="li" {...option} key={text} sx={{ gap: 3 }}>
          <Box component="span" sx={{ mr: "auto", minWidth: 0, overflowWrap: "anywhere" }}>
            {text}
          </Box>
          <Box component="span" aria-hidden sx={{ color: "text.secondary", fontVariantNumeric: "tabular-nums" }}>
            {notes.get(text)?.note}
          </Box>
          <span style={visuallyHidden}>{notes.get(text)?.noteLabel}</span>
        </Box>
      )}
      renderInput={(params) => (
        <TextField
          {...params}
          {...field}
          ref={takeOver}
          onKeyDown={(event) => {
            field.onKeyDown?.(event);
            // ChipsField has added the typed text, and the list would cover what is below.
            if (event.isPropagationStopped()) setOpen(false);
          }}
        />
      )}
    />
  );
}
