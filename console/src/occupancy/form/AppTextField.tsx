// Text field for texts that visitors see. Shows the length limit, but doesn't truncate longer input.
import { TextField } from "@mui/material";
import { occupancyText as text } from "../occupancy.text.ts";
import { elementId, type FormProps } from "./fields.ts";

type Props = Pick<FormProps, "errorOf" | "leave" | "readOnly"> & {
  fieldId: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  most?: number;
  hint?: string;
  type?: "url";
  inputMode?: "numeric";
  required?: boolean;
};

export function AppTextField(props: Props) {
  const { fieldId, most, hint, value, readOnly, type, inputMode } = props;
  const error = props.errorOf(fieldId);
  const { length } = value.trim();
  const help = hint ?? (most !== undefined && length > 0 ? text.lengthOf(length, most) : undefined);
  return (
    <TextField
      id={elementId(fieldId)}
      label={props.label}
      value={value}
      onChange={(event) => props.onChange(event.target.value)}
      onBlur={() => props.leave(fieldId)}
      error={error !== undefined}
      helperText={error ?? (readOnly ? undefined : help)}
      required={props.required ?? false}
      autoComplete="off"
      slotProps={{ input: { readOnly }, htmlInput: { inputMode: type === "url" ? "url" : inputMode } }}
    />
  );
}
