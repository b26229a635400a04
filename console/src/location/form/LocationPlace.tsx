// Address, map, coordinates and time zone of a location (LO-02).
import { Autocomplete, Box, TextField } from "@mui/material";
import { type ReactNode, useState } from "react";
import { formatAddress } from "../../entity/reference/addressLine.ts";
import { useTypedSuggestion } from "../../ui/choice/useTypedSuggestion.ts";
import { FactList } from "../../ui/FactList.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { countryNames } from "@psp/contract/location/country.ts";
import {
  coordinateFields,
  fieldsOfAddressLine,
  fieldsOfGeocodeResult,
  type LocationFields,
  pointOf,
  timeZonesOf,
} from "../location.facts.ts";
import { locationText as text } from "../location.text.ts";
import { AddressSearch } from "./AddressSearch.tsx";
import { PlaceMap } from "./PlaceMap.tsx";

type TextName = "street" | "zip" | "city" | "state" | "onSiteInfo" | "latitude" | "longitude";
export type TextFieldOptions = { autoComplete?: string; required?: boolean; inputMode?: "decimal" };

export type KnownZone = Pick<LocationFields, "latitude" | "longitude"> & { timezone: string | null };

type LocationPlaceProps = {
  values: LocationFields;
  set: <K extends keyof LocationFields>(name: K, value: LocationFields[K]) => void;
  readOnly: boolean;
  countryError: string | undefined;
  textField: (name: TextName, options?: TextFieldOptions) => ReactNode;
  saved: KnownZone | null;
};

const pair = { display: "grid", gap: 4, gridTemplateColumns: { xs: "1fr", sm: "1fr 1fr" } } as const;

export function LocationPlace({ values, set, readOnly, countryError, textField, saved }: LocationPlaceProps) {
  const zoneSuggestion = useTypedSuggestion();
  const countrySuggestion = useTypedSuggestion();
  const [picked, setPicked] = useState<KnownZone | null>(null);
  const setAll = (fields: Partial<LocationFields>) => {
    for (const [name, value] of Object.entries(fields)) set(name as TextName, value as string);
  };
  const zone = zoneOf(values, [picked, saved]);
  return (
    <SectionCard title={text.place} gap={4}>
      <AddressSearch
        value={formatAddress(values)}
        readOnly={readOnly}
        // A stored address is not replaced by search text.
        onTyped={
          saved === null || formatAddress(values) === null ? (line) => setAll(fieldsOfAddressLine(line)) : undefined
        }
        onPick={(place) => {
          const fields = fieldsOfGeocodeResult(place, values);
          const { latitude = "", longitude = "" } = fields;
          setPicked({ latitude, longitude, timezone: place.timezone });
          setAll(fields);
        }}
      />
      <PlaceMap at={pointOf(values)} onMove={readOnly ? undefined : (to) => setAll(coordinateFields(to))} />
      {zone.choices === undefined ? (
        <Box>
          <FactList facts={[[text.timezone, zone.words]]} />
          <Box sx={{ mt: 1, color: "text.secondary", fontSize: "0.75rem" }}>{text.positionHint}</Box>
        </Box>
      ) : (
        <Autocomplete
          id="location-timezone"
          options={[...zone.choices]}
          value={zone.choices.includes(values.timezone) ? values.timezone : null}
          onChange={(_, timezone) => set("timezone", timezone ?? "")}
          readOnly={readOnly}
          {...zoneSuggestion}
          renderInput={(params) => <TextField {...params} label={text.timezone} helperText={text.chooseZone} />}
        />
      )}
      {textField("street", { autoComplete: "street-address" })}
      <Box sx={{ ...pair, gridTemplateColumns: { xs: "1fr", sm: "1fr 2fr" } }}>
        {textField("zip", { autoComplete: "postal-code" })}
        {textField("city", { autoComplete: "address-level2" })}
      </Box>
      <Box sx={pair}>
        {textField("state")}
        <Autocomplete
          id="location-country"
          options={[...countryNames()]}
          value={values.country === "" ? null : values.country}
          onChange={(_, country) => set("country", country ?? "")}
          readOnly={readOnly}
          {...countrySuggestion}
          renderInput={(params) => (
            <TextField {...params} label={text.country} error={countryError !== undefined} helperText={countryError} />
          )}
        />
      </Box>
      {textField("onSiteInfo")}
      <Box sx={pair}>
        {textField("latitude", { inputMode: "decimal" })}
        {textField("longitude", { inputMode: "decimal" })}
      </Box>
    </SectionCard>
  );
}

type Zone = { words: string; choices?: undefined } | { choices: readonly string[] };

/** The time zone depends on the coordinates, else on the country. If the country has several, the user chooses. */
function zoneOf(values: LocationFields, known: readonly (KnownZone | null)[]): Zone {
  const { latitude, longitude, country, timezone } = values;
  if (latitude.trim() !== "" || longitude.trim() !== "") {
    const at = known.find((one) => one?.latitude === latitude && one.longitude === longitude);
    return { words: at ? (at.timezone ?? "-") : text.timezoneAfterSaving };
  }
  const zones = timeZonesOf(country);
  if (zones.length > 1) return { choices: zones };
  return { words: zones[0] ?? (timezone || "-") };
}
