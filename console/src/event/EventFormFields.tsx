// Fields of an event: name, dates, the locations that it applies to, its account, and whether comparisons leave it out.
import { Autocomplete, FormHelperText, Stack, TextField } from "@mui/material";
import { parseDay } from "@psp/contract/counts/count-range.ts";
import { listLocations, listLocationTags } from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { call } from "../api/call.ts";
import { useCan } from "../api/session/useCan.ts";
import { SwitchField } from "../entity/page/SwitchField.tsx";
import { AccountSelect } from "../entity/reference/AccountSelect.tsx";
import type { NamedRef } from "../entity/reference/ReferenceSelect.tsx";
import { useChoices } from "../entity/reference/useChoices.ts";
import { SelectField } from "../ui/form/SelectField.tsx";
import { DateField } from "../ui/time/DateField.tsx";
import { eventErrors, type EventFields, lastDayFor, type ScopeKind } from "./event.form.ts";
import { eventText as text } from "./event.text.ts";

type EventFormFieldsProps = {
  values: EventFields;
  set: <K extends keyof EventFields>(name: K, value: EventFields[K]) => void;
  submitted: boolean;
  readOnly: boolean;
};

const kinds = Object.entries(text.kinds) as [ScopeKind, string][];

export function EventFormFields({ values, set, submitted, readOnly }: EventFormFieldsProps) {
  const can = useCan();
  const errors = eventErrors(values);
  const excludeHint = useId();
  const { name, owner, from, to, kind, isExcluded } = values;
  const shown = (error: string | undefined, isTyped: boolean) => (submitted || isTyped ? error : undefined);
  const nameError = shown(errors.name, name !== "");
  const dateProps = (error: string | undefined) => ({
    error: error !== undefined,
    helperText: error,
    required: true,
    slotProps: { inputLabel: { shrink: true }, input: { readOnly } },
    sx: { flex: 1 },
  });
  return (
    <>
      <TextField
        label={text.name}
        value={name}
        onChange={({ target }) => set("name", target.value)}
        error={nameError !== undefined}
        helperText={nameError ?? (readOnly ? undefined : text.nameHint)}
        autoComplete="off"
        required
        slotProps={{ input: { readOnly } }}
      />
      <Stack direction={{ xs: "column", sm: "row" }} sx={{ gap: 4 }}>
        <DateField
          {...dateProps(shown(errors.from, false))}
          label={text.from}
          value={from}
          onChoose={(date) => {
            if (parseDay(date) === null) return false;
            set("from", date);
            set("to", lastDayFor(date, to));
            return true;
          }}
        />
        <DateField
          {...dateProps(shown(errors.to, to !== ""))}
          label={text.to}
          value={to}
          onChoose={(date) => {
            if (parseDay(date) === null) return false;
            set("to", date);
            return true;
          }}
        />
      </Stack>
      <SelectField
        label={text.appliesTo}
        value={kind}
        onChange={(chosen) => set("kind", chosen)}
        choices={kinds}
        slotProps={{ select: { readOnly } }}
      />
      {kind === "locations" ? (
        <LocationsField
          value={values.places}
          onChange={(places) => set("places", places)}
          error={shown(errors.scope, false)}
          readOnly={readOnly}
        />
      ) : null}
      {kind === "tag" ? (
        <TagField
          value={values.tag}
          onChange={(tag) => set("tag", tag)}
          error={shown(errors.scope, values.tag !== "")}
          readOnly={readOnly}
        />
      ) : null}
      <AccountSelect
        label={kind === "owner" ? text.account : text.owner}
        value={owner?.id ?? null}
        valueName={owner?.name}
        onChange={(id, chosen) => set("owner", id === null ? null : { id, name: chosen })}
        allow={(one) => one.id === can.actor.id || one.id === owner?.id || can.edit("measurement", one)}
        error={shown(errors.owner, false)}
        helperText={readOnly ? undefined : text.ownerHints[kind]}
        readOnly={readOnly}
      />
      <div>
        <SwitchField
          label={text.exclude}
          checked={isExcluded}
          onChange={(on) => set("isExcluded", on)}
          reason={readOnly ? text.readOnly : undefined}
          describedBy={excludeHint}
        />
        <FormHelperText id={excludeHint}>{text.excludeHint}</FormHelperText>
      </div>
    </>
  );
}

type FieldProps<T> = { value: T; onChange: (value: T) => void; error: string | undefined; readOnly: boolean };

function LocationsField({ value, onChange, error, readOnly }: FieldProps<NamedRef[]>) {
  const { rows, search, onOpen } = useChoices<Location>({
    type: "measurement",
    list: listLocations,
    query: { sortBy: "name" },
  });
  return (
    <Autocomplete
      multiple
      disableCloseOnSelect
      filterSelectedOptions
      options={rows.map(({ _id, name }): NamedRef => ({ id: _id, name }))}
      filterOptions={(options) => options}
      value={value}
      onChange={(_, chosen) => onChange(chosen)}
      onOpen={onOpen}
      onInputChange={(_, typed) => search.onSearch(typed.trim())}
      isOptionEqualToValue={(a, b) => a.id === b.id}
      getOptionKey={({ id }) => id}
      getOptionLabel={({ name }) => name}
      loading={search.loading}
      readOnly={readOnly}
      limitTags={10}
      renderInput={(params) => (
        <TextField
          {...params}
          label={text.locations}
          error={error !== undefined}
          helperText={error ?? (readOnly ? undefined : text.locationsHint)}
        />
      )}
    />
  );
}

function TagField({ value, onChange, error, readOnly }: FieldProps<string>) {
  const [isWanted, setWanted] = useState(false);
  const { data = [] } = useQuery({
    queryKey: ["measurement", "total", "tags"],
    queryFn: ({ signal }) => call(listLocationTags, { query: {}, signal }),
    enabled: isWanted,
  });
  return (
    <Autocomplete
      freeSolo
      options={data.map(({ tag }) => tag)}
      inputValue={value}
      onInputChange={(_, typed) => onChange(typed)}
      onOpen={() => setWanted(true)}
      readOnly={readOnly}
      renderInput={(params) => (
        <TextField {...params} label={text.tag} error={error !== undefined} helperText={error} required />
      )}
    />
  );
}
