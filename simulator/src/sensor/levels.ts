// Live occupancy and position of a ZOD while connected (docs/device-protocol.md#7-desired-and-reported).
import type { LivePosition } from "@psp/contract/device/live-level.ts";
import { metersBetween } from "../counting/route.ts";
import { type Levels, type Sensor, wallClock } from "../device/sensor-state.ts";
import { gpsFix } from "../preview/fix.ts";
import { countPeopleInVisibleSections } from "../preview/occupancy.ts";
import { activeValues } from "../section/sections.ts";
import { reportEverySecond, publishLive } from "./live.ts";

/** Maximum time between messages; a silent sensor counts as disconnected. */
const atLeastMs = 60_000;
const initial: Levels = { text: "", sentAt: -Infinity, posAt: -Infinity, pos: null };

export function updateLevelReporting(sensor: Sensor): void {
  const isWanted = sensor.type === "ZOD" && sensor.running && !sensor.stopped;
  sensor.levels = reportEverySecond(sensor, sensor.levels, {
    isWanted,
    initial,
    publish: (last) => publishLevels(sensor, last, sensor.env.net.now()),
  });
}

function publishLevels(sensor: Sensor, last: Levels, now: number): Levels {
  const zones = countPeopleInVisibleSections(sensor);
  const pos = positionOf(sensor);
  const text = JSON.stringify(zones);
  const isDue = text !== last.text || now - last.sentAt >= atLeastMs || isNewPlace(sensor, last, pos, now);
  if (!isDue) return last;
  publishLive(sensor, { t: "occ", at: wallClock(sensor), zones, ...(pos ? { pos } : {}) });
  return { ...last, text, sentAt: now, ...(pos ? { pos, posAt: now } : {}) };
}

/** Null without a fix, or if positions are not recorded. */
function positionOf(sensor: Sensor): LivePosition | null {
  const { lat, lng, speedMps, headingDeg } = gpsFix(sensor);
  if (typeof lat !== "number" || typeof lng !== "number") return null;
  return { lat, lng, speed: Number(speedMps), heading: Number(headingDeg) };
}

/** Whether to report the position: at most once per configured interval, and after the configured distance. */
function isNewPlace(sensor: Sensor, last: Levels, pos: LivePosition | null, now: number): boolean {
  const { intervalS, minMoveM } = activeValues(sensor, "gps");
  if (!pos || now - last.posAt < Number(intervalS) * 1000) return false;
  return last.pos === null || metersBetween(last.pos, pos) >= Number(minMoveM);
}
