// Switch, description and thresholds of one monitoring service (MO-01).
import type { MonitoringService } from "@psp/contract/monitoring/limits.ts";
import { Box, InputAdornment, TextField } from "@mui/material";
import { monitoringText as text } from "../monitoring.text.ts";
import { GroupCard } from "./GroupCard.tsx";
import { type ThresholdName, serviceThresholds, type ServiceFields } from "./monitoring.fields.ts";
import { SwitchField } from "../../entity/page/SwitchField.tsx";

type ServiceGroupProps = {
  service: MonitoringService;
  value: ServiceFields;
  onChange: (value: ServiceFields) => void;
  lock: string | undefined;
  idOf: (figure: ThresholdName) => string;
  errorOf: (figure: ThresholdName) => string | undefined;
  onLeave: (figure: ThresholdName) => void;
};

export function ServiceGroup({ service, value, onChange, lock, idOf, errorOf, onLeave }: ServiceGroupProps) {
  const { enabled, figures } = value;
  return (
    <GroupCard
      title={text.services[service]}
      action={
        <SwitchField
          label={text.enabled}
          reason={lock}
          checked={enabled}
          onChange={(on) => onChange({ ...value, enabled: on })}
          sx={{ mr: 0 }}
        />
      }
    >
      <Box sx={{ color: "text.secondary" }}>{text.explained[service]}</Box>
      <Box sx={{ display: "grid", gap: 4, gridTemplateColumns: { xs: "1fr", sm: "1fr 1fr" } }}>
        {serviceThresholds[service].map(([figure, unit]) => {
          const error = errorOf(figure);
          return (
            <TextField
              key={figure}
              id={idOf(figure)}
              label={text.figures[figure]}
              value={figures[figure] ?? ""}
              onChange={({ target }) => onChange({ ...value, figures: { ...figures, [figure]: target.value } })}
              onBlur={() => onLeave(figure)}
              // Numbers are kept while the service is disabled.
              disabled={!enabled}
              required={enabled}
              error={error !== undefined}
              helperText={error}
              autoComplete="off"
              slotProps={{
                input: {
                  readOnly: lock !== undefined,
                  endAdornment: <InputAdornment position="end">{text.units[unit]}</InputAdornment>,
                },
                htmlInput: { inputMode: "numeric" },
              }}
            />
          );
        })}
      </Box>
    </GroupCard>
  );
}
