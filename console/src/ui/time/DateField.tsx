// A controlled date field that allows incomplete input while typing.
import { TextField, type TextFieldProps } from "@mui/material";
import { useState } from "react";

type DateFieldProps = Pick<TextFieldProps, "label" | "slotProps" | "sx" | "error" | "helperText" | "required"> & {
  /** `YYYY-MM-DD`, or empty. */
  value: string;
  /** Returns false for an unusable date, which stays in the field until blur. */
  onChoose: (date: string) => boolean;
};

export function DateField({ value, onChoose, ...props }: DateFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextField
      {...props}
      type="date"
      value={typed ?? value}
      onChange={({ target }) => setTyped(onChoose(target.value) ? null : target.value)}
      onBlur={() => setTyped(null)}
    />
  );
}
