// Frame of sensor pages with header and menu. Redirects to the URL of the sensor's type (SE-04).
import { parseMac } from "@psp/contract/kit/mac.ts";
import { typeSegment } from "@psp/contract/device/sensor-type.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { ReactNode } from "react";
import { NotFoundPage } from "../../address/FallbackPages.tsx";
import { buildHref, parseSearch } from "../../address/address.ts";
import { Redirect, useMatchedPath, useParam, usePath, useSearchParams, useTitle } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { ObjectLoadError, ObjectPage } from "../../entity/page/ObjectPage.tsx";
import { OpenIssuesChip } from "../../monitoring/open/OpenIssuesChip.tsx";
import { useCan } from "../../api/session/useCan.ts";
import { LiveValue } from "../../ui/feedback/LiveValue.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { ZoneClock } from "../../ui/time/ZoneClock.tsx";
import { PageSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { SensorState } from "../SensorState.tsx";
import { sensorPageText } from "../sensor-page.text.ts";
import { runningVersion, sensor as entity } from "../sensor.entity.ts";
import { sensorText } from "../sensor.text.ts";
import { ReplaceSensor, replacementFacts } from "../replace/ReplaceSensor.tsx";
import { resolveTab, type SensorTab, sensorTabs, tabFromPath } from "./sensor.tabs.ts";

type LoadedProps = { id: string; children: (sensor: Sensor) => ReactNode };

function Loaded({ id, children }: LoadedProps) {
  const { data: sensor, error } = entity.useOne(id);
  if (sensor !== undefined) return children(sensor);
  return error === null ? <PageSkeleton /> : <ObjectLoadError error={error} text={sensorText} list={paths.sensors} />;
}

export function SensorResolver() {
  const id = parseMac(useParam("id"));
  const { query, ...rest } = useSearchParams();
  // The destination may contain slashes.
  const destination = useMatchedPath().split("/").slice(3).join("/");
  if (id === null) return <NotFoundPage />;
  const search = { ...rest, ...(typeof query === "string" ? parseSearch(query) : {}) };
  return <Loaded id={id}>{(sensor) => <ToTab sensor={sensor} destination={destination} search={search} />}</Loaded>;
}

type ToTabProps = { sensor: Sensor; destination: string; search: ReturnType<typeof useSearchParams> };

/** Redirects unavailable tabs to General. For types without a log, redirects `logs` to the issues of the location. */
function ToTab({ sensor, destination, search }: ToTabProps) {
  const { _id: id, type, types, measurement } = sensor;
  if (destination === "logs" && type !== "APS" && measurement !== null && types.includes("monitoringStatus"))
    return (
      <Redirect to={buildHref(paths.locationTab(measurement._id, "issues"), { ...search, sensorIDs: id }, "keep")} />
    );
  const path = paths.sensorTab(sensor.type, sensor._id, resolveTab(sensor, destination));
  return <Redirect to={buildHref(path, search, "keep")} />;
}

export function SensorPage() {
  const id = parseMac(useParam("id"));
  return id === null ? <NotFoundPage /> : <Frame id={id} />;
}

function Frame({ id }: { id: string }) {
  const segment = useMatchedPath().split("/")[2];
  const tab = tabFromPath(usePath());
  const search = useSearchParams();
  useTitle(id);
  return (
    <Loaded id={id}>
      {(sensor) =>
        segment === typeSegment(sensor.type) ? (
          <Shown sensor={sensor} tab={tab} />
        ) : (
          <ToTab sensor={sensor} destination={tab} search={search} />
        )
      }
    </Loaded>
  );
}

function Shown({ sensor, tab: shown }: { sensor: Sensor; tab: string }) {
  const can = useCan();
  const { _id: id, type } = sensor;
  const zone = sensor.measurement?.location.timezone ?? null;
  const firmware = [sensorText.firmware, <Mono key="firmware">{runningVersion(sensor) ?? "-"}</Mono>] as const;
  const tabs = sensorTabs(sensor);
  // A tab may have subpaths.
  const current = tabs.find(({ key }) => key === shown) ?? tabs.find(({ key }) => shown.startsWith(`${key}/`));
  const menu = (group: SensorTab["group"]) => ({
    // Counts come first, above the titled groups.
    ...(group === "counts" ? {} : { title: sensorPageText[group] }),
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
          <LiveValue>
            <SensorState presence={sensor.scomState} timeZone={zone} />
          </LiveValue>
          {sensor.issueStatus === null ? null : (
            <OpenIssuesChip sensor={id} path={paths.sensorDestination(id, "logs")} />
          )}
        </>
      }
      facts={[
        [sensorText.type, type],
        ...(can.viewType("artifact") ? [firmware] : []),
        [sensorText.localTime, <ZoneClock key="time" timeZone={zone} />],
        ...replacementFacts(sensor),
      ]}
      actions={<ReplaceSensor sensor={sensor} />}
      name={id}
      menu={[menu("counts"), menu("configuration"), menu("preview"), menu("maintenance")]}
    />
  );
}
