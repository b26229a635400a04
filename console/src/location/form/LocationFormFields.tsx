// The fields of a location, shared by creating and editing: what it is called, whose it is, where it is, its tags.
import { Autocomplete, Box, TextField } from "@mui/material";
import { useState } from "react";
import { OwnerSelect } from "../../entity/reference/AccountSelect.tsx";
import type { OwnerChoice } from "../../entity/owner-choice.ts";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { ChipsField } from "../../ui/form/ChipsField.tsx";
import { ErrorSummary } from "../../ui/form/ErrorSummary.tsx";
import { countryNames, type LocationFields } from "../location.facts.ts";
import type { FieldErrors } from "./location.rules.ts";
import { locationText } from "../location.text.ts";

type Props = {
  values: LocationFields;
  set: <K extends keyof LocationFields>(name: K, value: LocationFields[K]) => void;
  errors: FieldErrors;
  /** The number of attempts to save: from the first one on all errors are shown, not only those of fields that were left. */
  attempt: number;
  readOnly?: boolean;
  owners: OwnerChoice;
  /** Known zone of the saved place; null when there is none. */
  timezone: string | null;
  /** The place was changed and not saved yet. */
  placeChanged: boolean;
  /** For the tags' field, from `usePending`. */
  pending: { onPending: (text: string) => void; resetKey: number };
};

type TextName = "name" | "street" | "zip" | "city" | "state" | "onSiteInfo" | "latitude" | "longitude";

export function LocationFormFields(props: Props) {
  const { values, set, errors, attempt, readOnly = false } = props;
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const errorOf = (name: keyof LocationFields) => (attempt > 0 || left.has(name) ? errors[name] : undefined);
  const leave = (name: string) => setLeft((before) => new Set([...before, name]));
  const text = (name: TextName, more: { autoComplete?: string; required?: boolean; inputMode?: "decimal" } = {}) => (
    <TextField
      id={`location-${name}`}
      label={locationText[name]}
      value={values[name]}
      onChange={(event) => set(name, event.target.value)}
      onBlur={() => leave(name)}
      error={errorOf(name) !== undefined}
      helperText={errorOf(name)}
      required={more.required ?? false}
      autoComplete={more.autoComplete ?? "off"}
      slotProps={{ input: { readOnly }, htmlInput: { inputMode: more.inputMode } }}
    />
  );
  const zone = props.placeChanged ? locationText.timezoneAfterSaving : (props.timezone ?? "-");
  return (
    <>
      {attempt > 0 ? (
        <ErrorSummary
          attempt={attempt}
          errors={Object.entries(errors).map(([field, message]) => ({ fieldId: `location-${field}`, message }))}
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
        <ChipsField
          label={locationText.tags}
          value={values.tags}
          onChange={(tags) => set("tags", tags)}
          {...props.pending}
          readOnly={readOnly}
          error={errors.tags}
          helperText={readOnly ? undefined : locationText.tagsHint}
        />
      </SectionCard>
      <SectionCard title={locationText.address} gap={4}>
        {text("street", { autoComplete: "street-address" })}
        <Box sx={{ display: "grid", gap: 4, gridTemplateColumns: { xs: "1fr", sm: "1fr 2fr" } }}>
          {text("zip", { autoComplete: "postal-code" })}
          {text("city", { autoComplete: "address-level2" })}
        </Box>
        <Box sx={{ display: "grid", gap: 4, gridTemplateColumns: { xs: "1fr", sm: "1fr 1fr" } }}>
          {text("state")}
          <Autocomplete
            id="location-country"
            options={[...countryNames()]}
            value={values.country === "" ? null : values.country}
            onChange={(_, country) => set("country", country ?? "")}
            readOnly={readOnly}
            renderInput={(params) => (
              <TextField
                {...params}
                label={locationText.country}
                error={errors.country !== undefined}
                helperText={errors.country}
              />
            )}
          />
        </Box>
        {text("onSiteInfo")}
        <Box sx={{ display: "grid", gap: 4, gridTemplateColumns: { xs: "1fr", sm: "1fr 1fr" } }}>
          {text("latitude", { inputMode: "decimal" })}
          {text("longitude", { inputMode: "decimal" })}
        </Box>
        <Box component="dl" sx={{ m: 0, display: "flex", flexWrap: "wrap", columnGap: 3 }}>
          <Box component="dt" sx={{ fontWeight: 600 }}>
            {locationText.timezone}
          </Box>
          <Box component="dd" sx={{ m: 0 }}>
            {zone}
          </Box>
          <Box component="dd" sx={{ m: 0, width: 1, color: "text.secondary", fontSize: "0.75rem" }}>
            {locationText.positionHint}
          </Box>
        </Box>
      </SectionCard>
    </>
  );
}
