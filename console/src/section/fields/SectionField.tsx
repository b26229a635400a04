// Renders a field by its kind. While the field doesn't apply, it is hidden or disabled.
import type { Field } from "@psp/contract/section/field.ts";
import { isApplicable } from "@psp/contract/section/values.ts";
import { Box, FormControlLabel, FormHelperText, Switch } from "@mui/material";
import { useId } from "react";
import { sectionText as text } from "../section.text.ts";
import { elementId } from "../section.values.ts";
import { ChoiceBox, ReferenceBox } from "./ChoiceBox.tsx";
import { type ListItemRef, useFieldValue, useSectionForm } from "./fieldContext.ts";
import { PointsFields } from "./PointsFields.tsx";
import { SecretBox } from "./SecretBox.tsx";
import { hostsFormat, numberFormat, textFormat, TypedField } from "./TypedField.tsx";

type FieldProps<F> = { field: F; within?: ListItemRef };

const marks = { restart: text.needsRestart, confirm: text.mayCut } as const;
const markOf = ({ mark }: Field) => (mark === undefined ? undefined : marks[mark]);

export function SectionField({ field, within }: FieldProps<Field>) {
  const { context } = useFieldValue(field.path, within);
  const applies = isApplicable(field, context);
  if (!applies && field.otherwise !== "off") return null;
  const at = { ...(within && { within }), disabled: !applies };
  switch (field.kind) {
    case "switch":
      return <SwitchBox {...at} field={field} />;
    case "choice":
      return <ChoiceBox {...at} field={field} hint={markOf(field)} />;
    case "reference":
      return <ReferenceBox {...at} field={field} hint={markOf(field)} />;
    case "secret":
      return <SecretBox {...at} field={field} />;
    case "points":
      return <PointsFields {...at} field={field} />;
    case "number":
    case "text":
    case "hosts":
      return <Line {...at} field={field} />;
  }
}

type LineField = Extract<Field, { kind: "number" | "text" | "hosts" }>;
const spellings = { number: numberFormat, text: textFormat, hosts: hostsFormat } as const;

function Line({ field, within, disabled }: FieldProps<LineField> & { disabled: boolean }) {
  const { readOnly } = useSectionForm();
  const { value, fieldPath, error, set, leave } = useFieldValue(field.path, within);
  const zero = field.kind === "number" && field.zero !== undefined ? text.zero(field.zero) : undefined;
  const commas = field.kind === "hosts" ? text.commas : undefined;
  const hints = [markOf(field), zero, commas].filter((hint) => hint !== undefined);
  return (
    <TypedField
      label={field.label}
      fieldPath={fieldPath}
      value={value}
      spelling={spellings[field.kind]}
      onChange={set}
      onLeave={leave}
      error={error}
      hint={hints.join(" · ")}
      {...(field.kind === "number" && { inputMode: field.decimals === 0 ? "numeric" : "decimal" })}
      readOnly={readOnly}
      disabled={disabled}
    />
  );
}

function SwitchBox({ field, within, disabled }: FieldProps<Field> & { disabled: boolean }) {
  const { readOnly } = useSectionForm();
  const { value, fieldPath, error, set, leave } = useFieldValue(field.path, within);
  const helpId = useId();
  const help = error ?? markOf(field);
  return (
    <Box sx={{ gridColumn: "1 / -1" }}>
      <FormControlLabel
        label={field.label}
        disabled={disabled}
        control={
          <Switch
            checked={value === true}
            onChange={(_, on) => (readOnly ? undefined : set(on))}
            onBlur={leave}
            slotProps={{
              input: {
                id: elementId(fieldPath),
                "aria-readonly": readOnly ? true : undefined,
                "aria-invalid": error !== undefined,
                "aria-describedby": help === undefined ? undefined : helpId,
              },
            }}
          />
        }
      />
      {help === undefined ? null : (
        <FormHelperText id={helpId} error={error !== undefined} sx={{ m: 0 }}>
          {help}
        </FormHelperText>
      )}
    </Box>
  );
}
