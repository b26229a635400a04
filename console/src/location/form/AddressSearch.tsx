// Address field with geocoding (docs/rules/locations.md#address-search). The server also resolves pasted coordinates and map links.
import { type GeocodeResult, geocode } from "@psp/contract/location/geocode.api.ts";
import { Autocomplete, Box, TextField } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { SearchFailed } from "../../ui/choice/SearchingSelect.tsx";
import { useDebounced } from "../../ui/form/useDebounced.ts";
import { locationText as text } from "../location.text.ts";

const debounceMs = 300;
const minLength = 2;
/** In characters. Map links are long, and the relevant part may be at the end. */
const maxLength = 2000;

type AddressSearchProps = {
  value: string | null;
  onPick: (place: GeocodeResult) => void;
  /** Called on blur with text that was typed but not selected. Without it, such text is discarded, as with Escape. */
  onTyped?: ((text: string) => void) | undefined;
  readOnly?: boolean;
  required?: boolean;
  autoFocus?: boolean;
};

export function AddressSearch({
  value,
  onPick,
  onTyped,
  readOnly = false,
  required = false,
  autoFocus = false,
}: AddressSearchProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [asked, setAsked] = useState("");
  const { later, cancel } = useDebounced(setAsked, debounceMs);
  const isAsked = asked.length >= minLength;
  const { data, isFetching, isError, refetch } = useQuery({
    queryKey: ["geocode", asked],
    queryFn: ({ signal }) => call(geocode, { query: { q: asked }, signal }),
    enabled: isAsked,
    staleTime: 300_000,
  });
  const isBehind = typed !== null && typed.trim().slice(0, maxLength) !== asked;
  const found = isAsked && !isBehind ? (data ?? []) : [];
  const forget = () => {
    cancel();
    setTyped(null);
    setAsked("");
  };
  return (
    <Autocomplete<GeocodeResult, false, boolean>
      id="location-address"
      options={found}
      value={null}
      inputValue={typed ?? value ?? ""}
      readOnly={readOnly}
      forcePopupIcon={false}
      disableClearable
      // Shorter texts are not searched, so there is no list to open.
      open={typed !== null && typed.trim().length >= minLength}
      autoHighlight
      loading={isBehind || isFetching}
      filterOptions={(all) => all}
      getOptionLabel={({ formatted }) => formatted}
      getOptionKey={({ formatted, geo }) => `${formatted} ${geo.coordinates.join(" ")}`}
      onInputChange={(_, entered, reason) => {
        if (reason !== "input") return;
        setTyped(entered);
        later(entered.trim().slice(0, maxLength));
      }}
      onChange={(_, place) => {
        if (place !== null) onPick(place);
        forget();
      }}
      onClose={(_, reason) => {
        if (reason === "escape") forget();
      }}
      onBlur={() => {
        const line = typed?.trim() ?? "";
        if (line !== "" && line !== value) onTyped?.(line);
        forget();
      }}
      noOptionsText={isError ? <SearchFailed onRetry={() => void refetch()} /> : text.nothingFound}
      renderOption={({ key: _key, ...rest }, place) => (
        <Box
          component="li"
          {...rest}
          key={`${place.formatted} ${place.geo.coordinates.join(" ")}`}
          sx={{ flexWrap: "wrap", columnGap: 4 }}
        >
          <Box component="span" sx={{ mr: "auto", minWidth: 0, overflowWrap: "anywhere" }}>
            {place.formatted}
          </Box>
          <Box component="span" sx={{ color: "text.secondary", fontSize: "0.75rem", flex: "none" }}>
            {place.timezone}
          </Box>
        </Box>
      )}
      renderInput={(params) => (
        <TextField
          {...params}
          slotProps={{ ...params.slotProps, input: { ...params.slotProps.input, readOnly } }}
          label={text.address}
          required={required}
          autoFocus={autoFocus}
          helperText={readOnly ? undefined : text.addressHint}
        />
      )}
    />
  );
}
