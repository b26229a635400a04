// The frame of a sensor's pages: who it is and how it is at the top, the menu at the left (spec 2 §2).
import { parseMac } from "@psp/contract/kit/ids.ts";
import { typeSegment } from "@psp/contract/sensor/sensor-type.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import Box from "@mui/material/Box";
import { Outlet } from "@tanstack/react-router";
import { addressOf } from "../../address/address.ts";
import { NotFoundPage } from "../../address/StandIns.tsx";
import {
  Redirect,
  useLink,
  useMatchedPath,
  useParam,
  usePath,
  useSearchParams,
  useTitle,
} from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { SideEntry, SideMenu } from "../../ui/SideMenu.tsx";
import { PageSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { SensorHead } from "./SensorHead.tsx";
import { SensorMissing } from "./SensorResolver.tsx";
import { sensor as entity } from "../sensor.entity.ts";
import { openTab, type SensorTab, sensorTabs } from "./sensor.tabs.ts";
import { sensorPageText } from "../sensor-page.text.ts";

export function SensorPage() {
  const given = useParam("id");
  const id = parseMac(given);
  return id === null ? <NotFoundPage /> : <Frame id={id} />;
}

function Frame({ id }: { id: string }) {
  const { data: sensor, error } = entity.useOne(id);
  const path = useMatchedPath();
  const address = usePath();
  const search = useSearchParams();
  useTitle(id);
  if (sensor === undefined) return error === null ? <PageSkeleton /> : <SensorMissing error={error} />;
  // An address with the wrong type is put right.
  if (path.split("/")[2] !== typeSegment(sensor.type)) {
    const destination = openTab(sensor, address.split("/")[4] ?? "");
    return <Redirect to={addressOf(paths.sensorTab(sensor.type, sensor._id, destination), search, "keep")} />;
  }
  return (
    <>
      <SensorHead sensor={sensor} />
      <Box
        sx={{ display: "flex", flexDirection: { xs: "column", md: "row" }, gap: 6, alignItems: "flex-start", flex: 1 }}
      >
        <Menu sensor={sensor} />
        <Box sx={{ flex: 1, minWidth: 0, width: 1 }}>
          <Outlet />
        </Box>
      </Box>
    </>
  );
}

function Menu({ sensor }: { sensor: Sensor }) {
  const shown = usePath().split("/")[4];
  const tabs = sensorTabs(sensor);
  const entries = (group: SensorTab["group"]) =>
    tabs
      .filter((tab) => tab.group === group)
      .map((tab) => ({
        key: tab.key,
        content: <Entry sensor={sensor} tab={tab} current={shown === tab.key} />,
      }));
  const groups = [
    { title: sensorPageText.configuration, entries: entries("configuration") },
    { title: sensorPageText.maintenance, entries: entries("maintenance") },
  ];
  return <SideMenu label={sensor._id} groups={groups.filter((group) => group.entries.length > 0)} />;
}

function Entry({ sensor, tab, current }: { sensor: Sensor; tab: SensorTab; current: boolean }) {
  const link = useLink(paths.sensorTab(sensor.type, sensor._id, tab.key));
  if (tab.reason !== undefined)
    return (
      <Disabled reason={tab.reason}>
        <SideEntry role="link" tabIndex={0}>
          {tab.label}
        </SideEntry>
      </Disabled>
    );
  return (
    <SideEntry {...link} {...(current ? { "aria-current": "page" as const } : {})}>
      {tab.label}
    </SideEntry>
  );
}
