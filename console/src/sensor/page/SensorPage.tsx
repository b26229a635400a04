// The frame of a sensor's pages: id, connection, type, firmware and its place's time at the top, the menu at the left (spec 2 §2).
import { parseMac } from "@psp/contract/kit/ids.ts";
import { typeSegment } from "@psp/contract/sensor/sensor-type.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { ReactNode } from "react";
import { addressOf } from "../../address/address.ts";
import { Redirect, useMatchedPath, useParam, usePath, useSearchParams, useTitle } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { NotFoundPage } from "../../address/StandIns.tsx";
import { ObjectPage } from "../../entity/page/ObjectPage.tsx";
import { useCan } from "../../session/useCan.ts";
import { PageSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { ZoneClock } from "../../ui/ZoneClock.tsx";
import { sensor as entity } from "../sensor.entity.ts";
import { runningVersion } from "../sensor.facts.ts";
import { sensorPageText } from "../sensor-page.text.ts";
import { sensorText } from "../sensor.text.ts";
import { SensorState } from "../SensorState.tsx";
import { SensorMissing } from "./SensorResolver.tsx";
import { openTab, type SensorTab, sensorTabs } from "./sensor.tabs.ts";

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
  const shown = address.split("/")[4] ?? "";
  // An address with the wrong type is put right.
  if (path.split("/")[2] !== typeSegment(sensor.type)) {
    const destination = openTab(sensor, shown);
    return <Redirect to={addressOf(paths.sensorTab(sensor.type, sensor._id, destination), search, "keep")} />;
  }
  return <Shown sensor={sensor} tab={shown} />;
}

/** The firmware is shown to those who may view firmware. */
function Shown({ sensor, tab: shown }: { sensor: Sensor; tab: string }) {
  const can = useCan();
  const { _id: id, type } = sensor;
  const zone = sensor.measurement?.location.timezone ?? null;
  const firmware: [string, ReactNode] = [
    sensorText.firmware,
    <Mono key="firmware">{runningVersion(sensor) ?? "-"}</Mono>,
  ];
  const tabs = sensorTabs(sensor);
  const entries = (group: SensorTab["group"]) =>
    tabs
      .filter((tab) => tab.group === group)
      .map(({ key, label, reason }) => ({
        label,
        reason,
        path: paths.sensorTab(type, id, key),
        current: shown === key,
      }));
  return (
    <ObjectPage
      list={{ title: sensorText.title, path: paths.sensors }}
      heading={<Mono>{id}</Mono>}
      state={<SensorState presence={sensor.scomState} timeZone={zone} />}
      facts={[
        [sensorText.type, type],
        ...(can.viewType("artifact") ? [firmware] : []),
        [sensorText.localTime, <ZoneClock key="time" timeZone={zone} />],
      ]}
      name={id}
      menu={[
        { title: sensorPageText.configuration, entries: entries("configuration") },
        { title: sensorPageText.maintenance, entries: entries("maintenance") },
      ]}
    />
  );
}
