// Who a sensor is and how it is, at the top of all its pages: id, connection, type, firmware, and its place's time (spec 2 §2).
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";
import { AppLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useCan } from "../../session/useCan.ts";
import { Mono } from "../../ui/Mono.tsx";
import { ZoneClock } from "../../ui/ZoneClock.tsx";
import { SensorState } from "../SensorState.tsx";
import { runningVersion } from "../sensor.facts.ts";
import { sensorText } from "../sensor.text.ts";

/** Props: `sensor`. The firmware is shown to those who may view firmware. */
export function SensorHead({ sensor }: { sensor: Sensor }) {
  const can = useCan();
  const zone = sensor.measurement?.location.timezone ?? null;
  return (
    <Box component="header" sx={{ mb: 6, display: "flex", flexDirection: "column", gap: 2 }}>
      <AppLink to={paths.sensors} sx={{ alignSelf: "flex-start", color: "text.secondary" }}>
        {sensorText.title}
      </AppLink>
      <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 6, rowGap: 2 }}>
        <Typography variant="h1" tabIndex={-1}>
          <Mono>{sensor._id}</Mono>
        </Typography>
        <SensorState presence={sensor.scomState} timeZone={zone} />
        <Box component="dl" sx={{ m: 0, display: "flex", flexWrap: "wrap", columnGap: 6, rowGap: 1 }}>
          <Fact label={sensorText.type}>{sensor.type}</Fact>
          {can.viewType("artifact") ? (
            <Fact label={sensorText.firmware}>
              <Mono>{runningVersion(sensor) ?? "-"}</Mono>
            </Fact>
          ) : null}
          <Fact label={sensorText.localTime}>
            <ZoneClock timeZone={zone} />
          </Fact>
        </Box>
      </Box>
    </Box>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Box sx={{ display: "flex", gap: 2 }}>
      <Box component="dt" sx={{ color: "text.secondary" }}>
        {label}
      </Box>
      <Box component="dd" sx={{ m: 0 }}>
        {children}
      </Box>
    </Box>
  );
}
