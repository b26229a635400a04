// Summary of the monitoring configuration that a sensor inherits from its location.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Box } from "@mui/material";
import { AppLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { FactList } from "../../ui/FactList.tsx";
import { monitoringText as text } from "../monitoring.text.ts";
import { summaryOf } from "./summary.ts";

type InheritedMonitoringProps = {
  location: NonNullable<Sensor["measurement"]>;
  /** Undefined if the user may not view the location. */
  config: unknown;
};

export function InheritedMonitoring({ location, config }: InheritedMonitoringProps) {
  return (
    <Box sx={{ display: "flex", flexDirection: "column", gap: 3 }}>
      <div>
        {text.sensorInherits}{" "}
        <AppLink to={paths.locationTab(location._id, "monitoring")} query="none" underline="always">
          {location.name}
        </AppLink>
        . {config === undefined ? text.sensorUnknown : config === null ? text.sensorNothing : null}
      </div>
      {config === undefined || config === null ? null : (
        <Box role="group" aria-label={text.inherited}>
          <FactList facts={summaryOf(config)} />
        </Box>
      )}
    </Box>
  );
}
