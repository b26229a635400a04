// Country and region of public holidays, and whether the location is closed on them.
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { Box } from "@mui/material";
import { useState } from "react";
import { SwitchField } from "../entity/page/SwitchField.tsx";
import { SearchSelect, type SelectOption } from "../ui/choice/SearchSelect.tsx";
import { Heading } from "./ExceptionsField.tsx";
import { useCalendars } from "./opening.queries.ts";
import type { OpeningErrors } from "./opening.rules.ts";
import { openingText as text } from "./opening.text.ts";

type HolidaysFieldProps = {
  id: string;
  value: OpeningHours["holidays"];
  onChange: (holidays: OpeningHours["holidays"]) => void;
  errors: OpeningErrors;
};

export function HolidaysField({ id, value, onChange, errors }: HolidaysFieldProps) {
  const { data = [], isPending, isError, refetch } = useCalendars();
  const countries = data.map(({ country, name }) => ({ id: country, label: name }));
  const chosen = data.find(({ country }) => country === value?.country);
  const regions = (chosen?.regions ?? []).map(({ region, name }) => ({ id: region, label: name }));
  const common = { loading: isPending, failed: isError, onRetry: () => void refetch() };
  return (
    <Box role="group" aria-label={text.holidaysTitle} sx={{ display: "grid", gap: 3 }}>
      <Heading title={text.holidaysTitle} />
      <Box sx={{ display: "grid", gap: 3, gridTemplateColumns: { xs: "minmax(0, 1fr)", sm: "1fr 1fr" } }}>
        <ListSelect
          {...common}
          id={`${id}-holidays-country`}
          label={text.country}
          placeholder={text.noCountry}
          options={countries}
          value={value?.country ?? null}
          onChange={(country) =>
            onChange(country === null ? null : { country, region: null, closed: value?.closed ?? true })
          }
          error={errors["holidays.country"]}
        />
        {value !== null && (regions.length > 0 || value.region !== null) ? (
          <ListSelect
            {...common}
            id={`${id}-holidays-region`}
            label={text.region}
            placeholder={text.wholeCountry}
            options={regions}
            value={value.region}
            onChange={(region) => onChange({ ...value, region })}
            error={errors["holidays.region"]}
          />
        ) : null}
      </Box>
      {value === null ? null : (
        <Box>
          <SwitchField
            label={text.closedSwitch}
            checked={value.closed}
            onChange={(closed) => onChange({ ...value, closed })}
            describedBy={`${id}-holidays-hint`}
            sx={{ ml: -1 }}
          />
          <Box id={`${id}-holidays-hint`} sx={{ color: "text.secondary", fontSize: "0.75rem" }}>
            {text.closedHint}
          </Box>
        </Box>
      )}
    </Box>
  );
}

type ListSelectProps = {
  id: string;
  label: string;
  placeholder: string;
  options: readonly SelectOption[];
  value: string | null;
  onChange: (id: string | null) => void;
  error: string | undefined;
  loading: boolean;
  failed: boolean;
  onRetry: () => void;
};

const folded = (words: string) => words.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** Searches a list that is completely loaded, without regard to case and accents. */
function ListSelect({ options, value, onChange, ...field }: ListSelectProps) {
  const [searched, setSearched] = useState("");
  const found = options.filter(({ label, id }) => folded(`${label} ${id}`).includes(folded(searched)));
  return (
    <SearchSelect
      {...field}
      value={value === null ? null : (options.find(({ id }) => id === value) ?? { id: value, label: value })}
      onChange={(option) => onChange(option?.id ?? null)}
      options={found}
      onSearch={setSearched}
    />
  );
}
