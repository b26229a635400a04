// A date field whose value is kept elsewhere: while a date is being typed, it may be incomplete.
import { TextField, type TextFieldProps } from "@mui/material";
import { useState } from "react";

type DateFieldProps = Pick<TextFieldProps, "label" | "slotProps" | "sx"> & {
  /** `YYYY-MM-DD`, or empty. */
  value: string;
  /** Returns false for a date that can't be used; it stays in the field until blur. */
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
