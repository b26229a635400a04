// What a sensor is licensed for; only the operator's root account sees it and switches it (decisions 5).
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import Box from "@mui/material/Box";
import CircularProgress from "@mui/material/CircularProgress";
import FormControlLabel from "@mui/material/FormControlLabel";
import FormHelperText from "@mui/material/FormHelperText";
import Switch from "@mui/material/Switch";
import { useFailure } from "../../api/useFailure.ts";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { useGrantLicenses } from "../sensor.queries.ts";
import { sensorText } from "../sensor.text.ts";
import { sensorPageText } from "../sensor-page.text.ts";

/** Props: `sensor`, `dirty` while the form beside it holds changes: a licence is saved at once and would outdate them. */
export function SensorLicenses({ sensor, dirty }: { sensor: Sensor; dirty: boolean }) {
  const fail = useFailure();
  const grant = useGrantLicenses(sensor._id);
  // What was asked for is shown while it is on its way; a refusal brings the old value back.
  const shown = grant.isPending ? grant.variables.monitoring : sensor.licenses.monitoring;
  const reason = grant.isPending ? sensorPageText.licensesSaving : dirty ? sensorPageText.licensesBlocked : undefined;
  return (
    <SectionCard title={sensorPageText.licenses}>
      <Box>
        <Box sx={{ display: "flex", alignItems: "center" }}>
          <FormControlLabel
            label={sensorPageText.monitoringLicense}
            control={
              <Disabled kind="input" reason={reason}>
                <Switch
                  checked={shown}
                  onChange={(_, monitoring) => grant.mutate({ monitoring }, { onError: fail(sensorText.updateFailed) })}
                />
              </Disabled>
            }
          />
          {grant.isPending ? <CircularProgress size={14} aria-label={sensorPageText.licensesSaving} /> : null}
        </Box>
        <FormHelperText>{sensorPageText.licensesHint}</FormHelperText>
      </Box>
    </SectionCard>
  );
}
