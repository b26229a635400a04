// A select with a few labeled options.
import { MenuItem, TextField, type TextFieldProps } from "@mui/material";

type SelectFieldProps<V extends string | number> = Omit<
  TextFieldProps,
  "select" | "value" | "onChange" | "children"
> & {
  value: V | "";
  onChange: (value: V) => void;
  choices: readonly (readonly [value: V, words: string])[];
};

export function SelectField<V extends string | number>({ choices, onChange, ...field }: SelectFieldProps<V>) {
  return (
    <TextField {...field} select onChange={({ target }) => onChange(target.value as V)}>
      {choices.map(([value, words]) => (
        <MenuItem key={value} value={value}>
          {words}
        </MenuItem>
      ))}
    </TextField>
  );
}
