// Select for the options of a field, or for the items of a list, which may be in another section.
import type { ChoiceField, ReferenceField } from "@psp/contract/section/field.ts";
import { referenceChoices } from "@psp/contract/section/item-labels.ts";
import { MenuItem, TextField } from "@mui/material";
import type { ReactNode } from "react";
import { elementId } from "../section.values.ts";
import { type ListItemRef, useFieldValue, useSectionForm } from "./fieldContext.ts";

type BoxProps<F> = { field: F; within?: ListItemRef; disabled: boolean; hint: ReactNode };
type Choice = { key: string; label: string; value: unknown };

function Box({
  field,
  within,
  disabled,
  hint,
  choices,
}: BoxProps<ChoiceField | ReferenceField> & { choices: readonly Choice[] }) {
  const { readOnly } = useSectionForm();
  const { value, fieldPath, error, set, leave } = useFieldValue(field.path, within);
  const isReadOnly = readOnly ? true : undefined;
  return (
    <TextField
      select
      id={elementId(fieldPath)}
      label={field.label}
      value={choices.find((choice) => choice.value === value)?.key ?? ""}
      onChange={({ target }) => set(choices.find(({ key }) => key === target.value)?.value)}
      onBlur={leave}
      disabled={disabled}
      error={error !== undefined}
      helperText={error ?? hint}
      slotProps={{
        // Always shrunk, because '-' is shown for the empty value.
        inputLabel: { shrink: true },
        select: { displayEmpty: true, readOnly, SelectDisplayProps: { "aria-readonly": isReadOnly } },
      }}
    >
      {choices.map(({ key, label }) => (
        <MenuItem key={key} value={key}>
          {label}
        </MenuItem>
      ))}
    </TextField>
  );
}

export function ChoiceBox(props: BoxProps<ChoiceField>) {
  const choices = props.field.options.map(({ value, label }) => ({ key: String(value), label, value }));
  return <Box {...props} choices={choices} />;
}

/** Shows the id of an item that is missing or unknown. */
export function ReferenceBox(props: BoxProps<ReferenceField>) {
  const { field, within } = props;
  const { values, others } = useSectionForm();
  const { value } = useFieldValue(field.path, within);
  const known = referenceChoices(field, values, others);
  const lost = typeof value === "string" && !known.some((one) => one.value === value) ? [{ value, label: value }] : [];
  const choices = [...known, ...lost].map((one) => ({ ...one, key: one.value === null ? "" : `=${one.value}` }));
  return <Box {...props} choices={choices} />;
}
