// A choice from a few: of the values that a field has, or of the items of a list, also of another section.
import type { ChoiceField, ReferenceField } from "@psp/contract/section/field.ts";
import { idOf, itemsAt, valueAt } from "@psp/contract/section/values.ts";
import { MenuItem, TextField } from "@mui/material";
import type { ReactNode } from "react";
import { sectionText as text } from "../section.text.ts";
import { elementId } from "../section.values.ts";
import { type InItem, useFieldValue, useSectionForm } from "./fieldContext.ts";

type BoxProps<F> = { field: F; within?: InItem; disabled: boolean; hint: ReactNode };
type Choice = { key: string; label: string; value: unknown };

function Box({
  field,
  within,
  disabled,
  hint,
  choices,
}: BoxProps<ChoiceField | ReferenceField> & { choices: readonly Choice[] }) {
  const { readOnly } = useSectionForm();
  const { value, place, error, set, leave } = useFieldValue(field.path, within);
  const isReadOnly = readOnly ? true : undefined;
  return (
    <TextField
      select
      id={elementId(place)}
      label={field.label}
      value={choices.find((choice) => choice.value === value)?.key ?? ""}
      onChange={({ target }) => set(choices.find(({ key }) => key === target.value)?.value)}
      onBlur={leave}
      disabled={disabled}
      error={error !== undefined}
      helperText={error ?? hint}
      slotProps={{
        // A choice that is '-' fills its field, too.
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

/** An item that is not there, or not known because its section could not be read, is shown by its id. */
export function ReferenceBox(props: BoxProps<ReferenceField>) {
  const { field, within } = props;
  const { values, others } = useSectionForm();
  const { value } = useFieldValue(field.path, within);
  const from = field.section === undefined ? values : valueAt(others, field.section);
  const items = itemsAt(from, field.list).flatMap((item): Choice[] => {
    const id = idOf(item);
    const name = valueAt(item, "name");
    if (id === null) return [];
    return [{ key: `=${id}`, label: typeof name === "string" && name.trim() !== "" ? name : id, value: id }];
  });
  const isKnown = value === null || items.some((item) => item.value === value);
  const choices = [
    ...(field.nullable || value === null ? [{ key: "", label: text.none, value: null }] : []),
    ...items,
    ...(isKnown || typeof value !== "string" ? [] : [{ key: `=${value}`, label: value, value }]),
  ];
  return <Box {...props} choices={choices} />;
}
