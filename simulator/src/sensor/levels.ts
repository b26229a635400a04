// Live occupancy and position of a ZOD while connected (docs/device-protocol.md#7-desired-and-reported).
import type { LivePosition } from "@psp/contract/device/live-level.ts";
import { metersBetween } from "../counting/route.ts";
import { type Levels, type Sensor, wallClock } from "../device/sensor-state.ts";
import { gpsFix } from "../preview/fix.ts";
import { peopleSeen } from "../preview/occupancy.ts";
import { activeValues } from "../section/sections.ts";
import { reportEverySecond, publishLive } from "./live.ts";

/** Maximum time between messages; a silent sensor counts as disconnected. */
const atLeastMs = 60_000;
const unsaid: Levels = { text: "", sentAt: -Infinity, posAt: -Infinity, pos: null };

/** Starts or stops reporting, depending on whether the sensor runs. */
export function updateLevelReporting(sensor: Sensor): void {
  const isWanted = sensor.type === "ZOD" && sensor.running && !sensor.stopped;
  sensor.levels = reportEverySecond(sensor, sensor.levels, {
    isWanted,
    unsaid,
    say: (said) => sayLevels(sensor, said, sensor.around.net.now()),
  });
}

function sayLevels(sensor: Sensor, said: Levels, now: number): Levels {
  const zones = peopleSeen(sensor);
  const pos = positionOf(sensor);
  const text = JSON.stringify(zones);
  const isDue = text !== said.text || now - said.sentAt >= atLeastMs || isNewPlace(sensor, said, pos, now);
  if (!isDue) return said;
  publishLive(sensor, { t: "occ", at: wallClock(sensor), zones, ...(pos ? { pos } : {}) });
  return { ...said, text, sentAt: now, ...(pos ? { pos, posAt: now } : {}) };
}

/** Null without a fix, or if positions are not recorded. */
function positionOf(sensor: Sensor): LivePosition | null {
  const { lat, lng, speedMps, headingDeg } = gpsFix(sensor);
  if (typeof lat !== "number" || typeof lng !== "number") return null;
  return { lat, lng, speed: Number(speedMps), heading: Number(headingDeg) };
}

/** Whether to report the position: at most once per configured interval, and after the configured distance. */
function isNewPlace(sensor: Sensor, said: Levels, pos: LivePosition | null, now: number): boolean {
  const { intervalS, minMoveM } = activeValues(sensor, "gps");
  if (!pos || now - said.posAt < Number(intervalS) * 1000) return false;
  return said.pos === null || metersBetween(said.pos, pos) >= Number(minMoveM);
}
