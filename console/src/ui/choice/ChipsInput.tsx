// Lazily loaded input of a ChipsField, with keyboard navigation and removal of chips.
import { Autocomplete, TextField, type TextFieldProps } from "@mui/material";
import { type Begun, useTakeOver } from "./fieldLater.ts";

type ChipsInputProps = {
  value: readonly string[];
  onChange: (value: string[]) => void;
  typed: string;
  type: (text: string) => void;
  readOnly: boolean;
  begun: Begun;
  field: Pick<TextFieldProps, "label" | "error" | "helperText" | "onBlur" | "onKeyDown">;
};

export function ChipsInput({ value, onChange, typed, type, readOnly, begun, field }: ChipsInputProps) {
  const takeOver = useTakeOver({ ...begun, typed });
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
