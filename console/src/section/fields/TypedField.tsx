// Text field that shows the input while typing, and the formatted value afterwards.
import { TextField } from "@mui/material";
import { type ReactNode, useState } from "react";
import { elementId, isSameValue } from "../section.values.ts";

/** Formats and parses a value. Text that can't be parsed is kept, so that validation rejects it. */
export type TextFormat = { write: (value: unknown) => string; read: (text: string) => unknown };

const asText = (value: unknown) => (typeof value === "string" ? value : "");
export const textFormat: TextFormat = { write: asText, read: (text) => text };

/** Accepts a decimal comma. Rejects more digits than a number can represent. */
export const numberFormat: TextFormat = {
  write: (value) => (typeof value === "number" ? String(value) : asText(value)),
  read(text) {
    const plain = text.trim();
    if (plain === "") return null;
    const number = /^-?\d{1,15}(?:[.,]\d{1,15})?$/.test(plain) ? Number(plain.replace(",", ".")) : Number.NaN;
    return Number.isNaN(number) ? text : number;
  },
};

export const hostsFormat: TextFormat = {
  write: (value) => (Array.isArray(value) ? value.map(asText).join(", ") : ""),
  read: (text) =>
    text
      .split(",")
      .map((host) => host.trim())
      .filter((host) => host !== ""),
};

type TypedFieldProps = {
  label: string;
  fieldPath: string;
  value: unknown;
  spelling: TextFormat;
  onChange: (value: unknown) => void;
  onLeave: () => void;
  error: string | undefined;
  hint?: ReactNode;
  inputMode?: "numeric" | "decimal" | "url";
  readOnly: boolean;
  disabled?: boolean;
};

export function TypedField(props: TypedFieldProps) {
  const {
    label,
    fieldPath,
    value,
    spelling,
    onChange,
    onLeave,
    error,
    hint,
    inputMode,
    readOnly,
    disabled = false,
  } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed !== null && isSameValue(spelling.read(typed), value) ? typed : spelling.write(value);
  return (
    <TextField
      id={elementId(fieldPath)}
      label={label}
      value={shown}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(spelling.read(target.value));
      }}
      onBlur={() => {
        setTyped(null);
        onLeave();
      }}
      disabled={disabled}
      error={error !== undefined}
      helperText={error ?? hint}
      autoComplete="off"
      slotProps={{
        input: { readOnly },
        htmlInput: { inputMode, spellCheck: false, "aria-readonly": readOnly ? true : undefined },
      }}
    />
  );
}
