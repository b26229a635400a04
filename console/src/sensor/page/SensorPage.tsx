// The frame of a sensor's pages: id, connection, type, firmware and local time at the top, the menu at the left; and the
// redirect from an address without a type to the page of its type (SE-04).
import { parseMac } from "@psp/contract/kit/mac.ts";
import { typeSegment } from "@psp/contract/device/sensor-type.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { ReactNode } from "react";
import { NotFoundPage } from "../../address/StandIns.tsx";
import { addressOf, parseSearch } from "../../address/address.ts";
import { Redirect, useMatchedPath, useParam, usePath, useSearchParams, useTitle } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { MissingObject, ObjectPage } from "../../entity/page/ObjectPage.tsx";
import { OpenIssuesChip } from "../../monitoring/open/OpenIssuesChip.tsx";
import { useCan } from "../../session/useCan.ts";
import { Live } from "../../ui/feedback/Live.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { ZoneClock } from "../../ui/time/ZoneClock.tsx";
import { PageSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { SensorState } from "../SensorState.tsx";
import { sensorPageText } from "../sensor-page.text.ts";
import { runningVersion, sensor as entity } from "../sensor.entity.ts";
import { sensorText } from "../sensor.text.ts";
import { openTab, type SensorTab, sensorTabs, tabIn } from "./sensor.tabs.ts";

type LoadedProps = { id: string; children: (sensor: Sensor) => ReactNode };

/** The sensor once it is here; what is shown instead until then, or where it can't be had. */
function Loaded({ id, children }: LoadedProps) {
  const { data: sensor, error } = entity.useOne(id);
  if (sensor !== undefined) return children(sensor);
  return error === null ? <PageSkeleton /> : <MissingObject error={error} text={sensorText} list={paths.sensors} />;
}

export function SensorResolver() {
  const id = parseMac(useParam("id"));
  const { query, ...rest } = useSearchParams();
  // Some have a slash in them.
  const destination = useMatchedPath().split("/").slice(3).join("/");
  if (id === null) return <NotFoundPage />;
  // A query that was saved may come along.
  const search = { ...rest, ...(typeof query === "string" ? parseSearch(query) : {}) };
  return <Loaded id={id}>{(sensor) => <ToTab sensor={sensor} destination={destination} search={search} />}</Loaded>;
}

type ToTabProps = { sensor: Sensor; destination: string; search: ReturnType<typeof useSearchParams> };

/** A destination that can't be opened leads to General; the log of a type without one is a part of its location's. */
function ToTab({ sensor, destination, search }: ToTabProps) {
  const { _id: id, type, types, measurement } = sensor;
  if (destination === "logs" && type !== "APS" && measurement !== null && types.includes("monitoringStatus"))
    return (
      <Redirect to={addressOf(paths.locationTab(measurement._id, "issues"), { ...search, sensorIDs: id }, "keep")} />
    );
  const path = paths.sensorTab(sensor.type, sensor._id, openTab(sensor, destination));
  return <Redirect to={addressOf(path, search, "keep")} />;
}

export function SensorPage() {
  const id = parseMac(useParam("id"));
  return id === null ? <NotFoundPage /> : <Frame id={id} />;
}

function Frame({ id }: { id: string }) {
  const segment = useMatchedPath().split("/")[2];
  const tab = tabIn(usePath());
  const search = useSearchParams();
  useTitle(id);
  return (
    <Loaded id={id}>
      {(sensor) =>
        // An address with the wrong type is put right.
        segment === typeSegment(sensor.type) ? (
          <Shown sensor={sensor} tab={tab} />
        ) : (
          <ToTab sensor={sensor} destination={tab} search={search} />
        )
      }
    </Loaded>
  );
}

/** The firmware is shown to those who may view firmware. */
function Shown({ sensor, tab: shown }: { sensor: Sensor; tab: string }) {
  const can = useCan();
  const { _id: id, type } = sensor;
  const zone = sensor.measurement?.location.timezone ?? null;
  const firmware = [sensorText.firmware, <Mono key="firmware">{runningVersion(sensor) ?? "-"}</Mono>] as const;
  const tabs = sensorTabs(sensor);
  // A tab may have pages of its own below it.
  const current = tabs.find(({ key }) => key === shown) ?? tabs.find(({ key }) => shown.startsWith(`${key}/`));
  const menu = (group: SensorTab["group"]) => ({
    title: sensorPageText[group],
    entries: tabs
      .filter((tab) => tab.group === group)
      .map(({ key, ...entry }) => ({ ...entry, path: paths.sensorTab(type, id, key), current: current?.key === key })),
  });
  return (
    <ObjectPage
      list={{ title: sensorText.title, path: paths.sensors }}
      heading={<Mono>{id}</Mono>}
      state={
        <>
          <Live>
            <SensorState presence={sensor.scomState} timeZone={zone} />
          </Live>
          {sensor.issueStatus === null ? null : (
            <OpenIssuesChip sensor={id} path={paths.sensorDestination(id, "logs")} />
          )}
        </>
      }
      facts={[
        [sensorText.type, type],
        ...(can.viewType("artifact") ? [firmware] : []),
        [sensorText.localTime, <ZoneClock key="time" timeZone={zone} />],
      ]}
      name={id}
      menu={[menu("configuration"), menu("preview"), menu("maintenance")]}
    />
  );
}
