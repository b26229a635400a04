// Fields for recipients and weekdays of issue mails (MO-03).
import { weekDays } from "@psp/contract/monitoring/limits.ts";
import { Box, FormHelperText } from "@mui/material";
import { ChipsField } from "../../ui/choice/ChipsField.tsx";
import { monitoringText as text } from "../monitoring.text.ts";
import { GroupCard } from "./GroupCard.tsx";
import type { MonitoringFields } from "./monitoring.fields.ts";
import { CheckField } from "../../entity/page/SwitchField.tsx";

type FieldsProps = {
  values: MonitoringFields;
  set: <K extends keyof MonitoringFields>(name: K, value: MonitoringFields[K]) => void;
  lock: string | undefined;
};

type MailFieldsProps = FieldsProps & {
  /** Element id of the field for additional addresses. */
  id: string;
  error: string | undefined;
  pending: { onPending: (text: string) => void; resetKey: number };
  onLeave: () => void;
};

const alerts = ["onWarning", "onError", "toOwner"] as const;

export function MailFields({ id, values, set, lock, error, pending, onLeave }: MailFieldsProps) {
  return (
    <GroupCard title={text.alerts}>
      <Box sx={{ display: "flex", flexWrap: "wrap", columnGap: 1 }}>
        {alerts.map((name) => (
          <CheckField
            key={name}
            label={text[name]}
            checked={values.alerts[name]}
            onChange={(on) => set("alerts", { ...values.alerts, [name]: on })}
            reason={lock}
          />
        ))}
      </Box>
      {/* The field takes no id; the error summary links to this input. */}
      <Box
        id={id}
        tabIndex={-1}
        sx={{ outline: "none" }}
        onFocus={({ target, currentTarget }) => {
          if (target === currentTarget) currentTarget.querySelector("input")?.focus();
        }}
        onBlur={onLeave}
      >
        <ChipsField
          label={text.toOther}
          value={values.toOther}
          onChange={(emails) => set("toOther", emails)}
          {...pending}
          readOnly={lock !== undefined}
          error={error}
          helperText={lock === undefined ? text.toOtherHint : undefined}
        />
      </Box>
    </GroupCard>
  );
}

export function WeekDayFields({ values, set, lock }: FieldsProps) {
  return (
    <GroupCard title={text.weekDays}>
      <Box sx={{ display: "flex", flexWrap: "wrap", columnGap: 1 }}>
        {weekDays.map((day) => (
          <CheckField
            key={day}
            label={text.weekDay[day]}
            checked={values.weekDays[day]}
            onChange={(on) => set("weekDays", { ...values.weekDays, [day]: on })}
            reason={lock}
          />
        ))}
      </Box>
      <FormHelperText>{text.weekDaysHint}</FormHelperText>
    </GroupCard>
  );
}
