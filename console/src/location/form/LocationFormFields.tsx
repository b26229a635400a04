// Form fields of a location: name, owner, address, tags.
import type { Location } from "@psp/contract/location/location.ts";
import { TextField } from "@mui/material";
import { useState } from "react";
import { OwnerSelect } from "../../entity/reference/AccountSelect.tsx";
import type { OwnerChoice } from "../../entity/owner-choice.ts";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { ErrorSummary } from "../../ui/form/ErrorSummary.tsx";
import type { LocationFields } from "../location.facts.ts";
import { LocationOpening, openingFieldId } from "./LocationOpening.tsx";
import { type KnownZone, LocationPlace, type TextFieldOptions } from "./LocationPlace.tsx";
import type { LocationFieldErrors } from "./location.rules.ts";
import { locationText } from "../location.text.ts";
import { TagsField } from "../TagsField.tsx";

type Props = {
  values: LocationFields;
  set: <K extends keyof LocationFields>(name: K, value: LocationFields[K]) => void;
  errors: LocationFieldErrors;
  /** Number of save attempts; after the first, all errors are shown. */
  attempt: number;
  readOnly?: boolean;
  owners: OwnerChoice;
  /** Null for a new location. */
  stored: Location | null;
  /** Error of the last save. */
  refused: unknown;
  saved: KnownZone | null;
  /** Props of the tags field, from `usePending`. */
  pending: { onPending: (text: string) => void; resetKey: number };
};

type TextName = "name" | "externalID" | "street" | "zip" | "city" | "state" | "onSiteInfo" | "latitude" | "longitude";

export function LocationFormFields(props: Props) {
  const { values, set, errors, attempt, readOnly = false } = props;
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const errorOf = (name: keyof LocationFields) => (attempt > 0 || left.has(name) ? errors[name] : undefined);
  const leave = (name: string) => setLeft((before) => new Set([...before, name]));
  const text = (name: TextName, { hint, ...more }: TextFieldOptions & { hint?: string } = {}) => (
    <TextField
      id={`location-${name}`}
      label={locationText[name]}
      value={values[name]}
      onChange={(event) => set(name, event.target.value)}
      onBlur={() => leave(name)}
      error={errorOf(name) !== undefined}
      helperText={errorOf(name) ?? (readOnly ? undefined : hint)}
      required={more.required ?? false}
      autoComplete={more.autoComplete ?? "off"}
      slotProps={{ input: { readOnly }, htmlInput: { inputMode: more.inputMode } }}
    />
  );
  return (
    <>
      {attempt > 0 ? (
        <ErrorSummary
          attempt={attempt}
          errors={Object.entries(errors).map(([field, message]) => ({
            fieldId: field === "openingHours" ? openingFieldId(values.openingHours) : `location-${field}`,
            message,
          }))}
        />
      ) : null}
      <SectionCard title={locationText.general} gap={4}>
        {text("name", { required: true })}
        <OwnerSelect
          id="location-owner"
          label={locationText.owner}
          value={values.owner}
          onChange={(owner) => set("owner", owner)}
          owners={props.owners}
          error={errorOf("owner")}
          readOnly={readOnly}
        />
        <TagsField
          label={locationText.tags}
          value={values.tags}
          onChange={(tags) => set("tags", tags)}
          {...props.pending}
          readOnly={readOnly}
          error={errors.tags}
          helperText={readOnly ? undefined : locationText.tagsHint}
        />
        {text("externalID", { hint: locationText.externalIDHint })}
      </SectionCard>
      <LocationPlace
        values={values}
        set={set}
        readOnly={readOnly}
        countryError={errors.country}
        textField={text}
        saved={props.saved}
      />
      <LocationOpening
        value={values.openingHours}
        onChange={(hours) => set("openingHours", hours)}
        owner={values.owner}
        stored={props.stored}
        refused={props.refused}
        submitted={attempt > 0}
        readOnly={readOnly}
      />
    </>
  );
}
