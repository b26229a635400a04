// A single-line field with the markup of MUI's TextField, but without bundling its select.
import { FormControl, FormHelperText, InputLabel, OutlinedInput, type OutlinedInputProps } from "@mui/material";
import { type ReactNode, useId } from "react";

export type PlainFieldProps = Omit<OutlinedInputProps, "label" | "size" | "fullWidth" | "slotProps"> & {
  label: string;
  helperText?: ReactNode;
  /** Announces changes of the helper text immediately. */
  isHelpLive?: boolean;
};

export function PlainField(props: PlainFieldProps) {
  const { label, helperText, isHelpLive = false, disabled = false, error = false, required = false, ...input } = props;
  const own = useId();
  const id = input.id ?? own;
  const help = helperText === undefined || helperText === "" || helperText === null ? undefined : `${id}-helper-text`;
  return (
    <FormControl fullWidth disabled={disabled} error={error} required={required}>
      <InputLabel htmlFor={id} id={`${id}-label`}>
        {label}
      </InputLabel>
      <OutlinedInput {...input} id={id} label={label} fullWidth aria-describedby={help} />
      {help === undefined ? null : (
        <FormHelperText id={help} {...(isHelpLive ? { "aria-live": "polite" } : {})}>
          {helperText}
        </FormHelperText>
      )}
    </FormControl>
  );
}
