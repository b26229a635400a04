// Editor of opening hours: week, exceptions, public holidays, and a preview.
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { Box } from "@mui/material";
import { ExceptionsField } from "./ExceptionsField.tsx";
import { HolidaysField } from "./HolidaysField.tsx";
import type { OpeningErrors } from "./opening.rules.ts";
import { OpeningPreview } from "./OpeningPreview.tsx";
import { todayIn } from "./today.ts";
import { WeekField } from "./WeekField.tsx";

export type OpeningEditorProps = {
  /** Ids of the inputs begin with it. */
  id: string;
  value: OpeningHours;
  onChange: (hours: OpeningHours) => void;
  errors: OpeningErrors;
  /** Shows the errors of all fields. */
  submitted: boolean;
  timeZone: string | null;
};

export function OpeningEditor({ id, value, onChange, errors, submitted, timeZone }: OpeningEditorProps) {
  const today = todayIn(timeZone);
  const set = (part: Partial<OpeningHours>) => onChange({ ...value, ...part });
  return (
    <Box sx={{ display: "grid", gap: 5 }}>
      <WeekField id={id} value={value.week} onChange={(week) => set({ week })} {...{ errors, submitted }} />
      <ExceptionsField
        id={id}
        value={value.exceptions}
        onChange={(exceptions) => set({ exceptions })}
        {...{ today, errors, submitted }}
      />
      <HolidaysField id={id} value={value.holidays} onChange={(holidays) => set({ holidays })} errors={errors} />
      <OpeningPreview hours={value} today={today} />
    </Box>
  );
}
