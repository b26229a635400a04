// Field for the daily reset time, in 5-minute steps (docs/rules/occupancy.md#limits). It has a 24-hour clock in any browser
// locale.
import { occupancyLimits } from "@psp/contract/occupancy/occupancy-defaults.ts";
import { Box, FormHelperText } from "@mui/material";
import { useId } from "react";
import { occupancyText as text } from "../occupancy.text.ts";
import { elementId, type FormProps } from "./fields.ts";
import { SelectField } from "../../ui/form/SelectField.tsx";

const hours = Array.from({ length: 24 }, (_, hour) => hour);
const minutes = Array.from(
  { length: 60 / occupancyLimits.resetMinuteStep },
  (_, n) => n * occupancyLimits.resetMinuteStep,
);

export function ResetTime({ values, set, readOnly, zone }: FormProps & { zone: string }) {
  const id = useId();
  const choice = (name: "hour" | "minute", label: string, choices: readonly number[]) => (
    <SelectField
      id={elementId(name)}
      label={label}
      value={values[name]}
      onChange={(value) => set(name, value)}
      choices={choices.map((value) => [value, String(value).padStart(2, "0")])}
      sx={{ width: 110 }}
      slotProps={{ input: { readOnly }, select: { MenuProps: { slotProps: { paper: { sx: { maxHeight: 320 } } } } } }}
    />
  );
  return (
    <Box role="group" aria-labelledby={`${id}-name`} aria-describedby={`${id}-hint`}>
      <Box id={`${id}-name`} sx={{ mb: 2, fontWeight: 600 }}>
        {text.resetTime}
      </Box>
      <Box sx={{ display: "flex", gap: 3 }}>
        {choice("hour", text.hour, hours)}
        {choice("minute", text.minute, minutes)}
      </Box>
      <FormHelperText id={`${id}-hint`}>{text.resetHint(zone)}</FormHelperText>
    </Box>
  );
}
