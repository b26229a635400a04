// Lets a tab be seen while its conditions hold, and leads to General otherwise (spec 2 §4, §5).
import { parseMac } from "@psp/contract/kit/ids.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { ReactNode } from "react";
import { addressOf } from "../../address/address.ts";
import { Redirect, useParam, useSearchParams } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { sensor as entity } from "../sensor.entity.ts";
import { openTab, type SensorTabKey } from "./sensor.tabs.ts";

type SensorTabGateProps = {
  tab: SensorTabKey;
  /** `complete` once the sensor came from the server itself and not from a list. */
  children: (sensor: Sensor, complete: boolean) => ReactNode;
};

/** Props: `tab`, `children` (called with the sensor). */
export function SensorTabGate({ tab, children }: SensorTabGateProps) {
  const given = useParam("id");
  const search = useSearchParams();
  const { data: sensor, isPlaceholderData } = entity.useOne(parseMac(given) ?? given);
  if (sensor === undefined) return null;
  const target = openTab(sensor, tab);
  if (target !== tab)
    return <Redirect to={addressOf(paths.sensorTab(sensor.type, sensor._id, target), search, "keep")} />;
  return children(sensor, !isPlaceholderData);
}
