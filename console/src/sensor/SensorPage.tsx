// The frame of a sensor's pages: who it is and how it is at the top, the menu at the left (spec 2 §2).
import { parseMac } from "@psp/contract/kit/ids.ts";
import { typeSegment } from "@psp/contract/sensor/sensor-type.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import { Outlet } from "@tanstack/react-router";
import { NotFoundPage } from "../app/StandIns.tsx";
import { AppLink, Redirect, useLink, useMatchedPath, useTitle, useParam } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { useCan } from "../session/useCan.ts";
import { Mono } from "../ui/Mono.tsx";
import { SideEntry, SideMenu } from "../ui/SideMenu.tsx";
import { PageSkeleton } from "../ui/Skeletons.tsx";
import { ZoneClock } from "../ui/ZoneClock.tsx";
import { SensorMissing } from "./SensorResolver.tsx";
import { SensorState } from "./SensorState.tsx";
import { runningVersion } from "./sensor.facts.ts";
import { useSensor } from "./sensor.queries.ts";
import { sensorText } from "./sensor.text.ts";

export function SensorPage() {
  const given = useParam("id");
  const id = parseMac(given);
  return id === null ? <NotFoundPage /> : <Frame id={id} />;
}

function Frame({ id }: { id: string }) {
  const { data: sensor, error } = useSensor(id);
  const path = useMatchedPath();
  useTitle(id);
  if (sensor === undefined) return error === null ? <PageSkeleton /> : <SensorMissing error={error} />;
  // An address with the wrong type is put right.
  if (path.split("/")[2] !== typeSegment(sensor.type))
    return <Redirect to={paths.sensorGeneral(sensor.type, sensor._id)} />;
  return (
    <>
      <SensorHead sensor={sensor} />
      <Box
        sx={{ display: "flex", flexDirection: { xs: "column", md: "row" }, gap: 6, alignItems: "flex-start", flex: 1 }}
      >
        <SideMenu
          label={sensor._id}
          groups={[
            { title: sensorText.configuration, entries: [{ key: "general", content: <General sensor={sensor} /> }] },
          ]}
        />
        <Box sx={{ flex: 1, minWidth: 0, width: 1 }}>
          <Outlet />
        </Box>
      </Box>
    </>
  );
}

function General({ sensor }: { sensor: Sensor }) {
  return (
    <SideEntry {...useLink(paths.sensorGeneral(sensor.type, sensor._id))} aria-current="page">
      {sensorText.general}
    </SideEntry>
  );
}

function SensorHead({ sensor }: { sensor: Sensor }) {
  const can = useCan();
  const zone = sensor.measurement?.location.timezone ?? null;
  const facts: [label: string, value: React.ReactNode][] = [
    [sensorText.type, sensor.type],
    ...(can.viewType("artifact")
      ? ([[sensorText.firmware, <Mono key="firmware">{runningVersion(sensor) ?? "-"}</Mono>]] as [
          string,
          React.ReactNode,
        ][])
      : []),
    [sensorText.localTime, <ZoneClock key="clock" timeZone={zone} />],
  ];
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
          {facts.map(([label, value]) => (
            <Box key={label} sx={{ display: "flex", gap: 2 }}>
              <Box component="dt" sx={{ color: "text.secondary" }}>
                {label}
              </Box>
              <Box component="dd" sx={{ m: 0 }}>
                {value}
              </Box>
            </Box>
          ))}
        </Box>
      </Box>
    </Box>
  );
}
