// A tab of a sensor; redirects to General while unavailable (docs/rules/sensors.md#sensor-pages).
import { parseMac } from "@psp/contract/kit/mac.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { ReactNode } from "react";
import { buildHref } from "../../address/address.ts";
import { Redirect, useParam, useSearchParams } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { sensor as entity } from "../sensor.entity.ts";
import { resolveTab, type SensorTab } from "./sensor.tabs.ts";

type TabProps = {
  tab: SensorTab["key"];
  /** `complete` is false while the sensor is only a placeholder from a list. */
  children: (sensor: Sensor, complete: boolean) => ReactNode;
};

export function Tab({ tab, children }: TabProps) {
  const given = useParam("id");
  const search = useSearchParams();
  const { data: sensor, isPlaceholderData } = entity.useOne(parseMac(given) ?? given);
  if (sensor === undefined) return null;
  const target = resolveTab(sensor, tab);
  if (target !== tab)
    return <Redirect to={buildHref(paths.sensorTab(sensor.type, sensor._id, target), search, "keep")} />;
  return children(sensor, !isPlaceholderData);
}
