// Lazily loaded input of a ChipsField, with keyboard navigation and removal of chips.
import { Autocomplete, TextField, type TextFieldProps } from "@mui/material";
import { type EarlyInput, useFocusHandover } from "./lazyField.ts";

type ChipsInputProps = {
  value: readonly string[];
  onChange: (value: string[]) => void;
  typed: string;
  type: (text: string) => void;
  readOnly: boolean;
  earlyInput: EarlyInput;
  field: Pick<TextFieldProps, "label" | "error" | "helperText" | "onBlur" | "onKeyDown">;
};

export function ChipsInput({ value, onChange, typed, type, readOnly, earlyInput, field }: ChipsInputProps) {
  const takeOver = useFocusHandover({ ...earlyInput, typed });
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
        // Typed text is added on Enter; this only handles removals.
        if (next.length < value.length) onChange(next);
      }}
      renderInput={(params) => <TextField {...params} {...field} ref={takeOver} />}
    />
  );
}
