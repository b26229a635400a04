// A required text field that shows its error once it was left or the form was submitted.
import { TextField, type TextFieldProps } from "@mui/material";
import { useState } from "react";

type CheckedFieldProps = Pick<TextFieldProps, "label" | "value" | "type" | "helperText" | "slotProps"> & {
  onChange: (value: string) => void;
  submitted: boolean;
  error: string | undefined;
};

export function CheckedField({ onChange, submitted, error, helperText, ...field }: CheckedFieldProps) {
  const [isLeft, setLeft] = useState(false);
  const shown = submitted || isLeft ? error : undefined;
  return (
    <TextField
      {...field}
      onChange={({ target }) => onChange(target.value)}
      onBlur={() => setLeft(true)}
      error={shown !== undefined}
      helperText={shown ?? helperText}
      autoComplete="off"
      required
    />
  );
}
