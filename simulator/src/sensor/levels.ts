// What a ZOD sends unasked while it is connected: the people in each section of its coach, and its position
// (docs/device-protocol.md#7-desired-and-reported).
import type { LivePosition } from "@psp/contract/device/live-level.ts";
import { metersBetween } from "../counting/route.ts";
import { type Levels, type Sensor, wallClock } from "../device/sensor-state.ts";
import { fix } from "../preview/fix.ts";
import { peopleSeen } from "../preview/occupancy.ts";
import { valuesInForce } from "../section/sections.ts";
import { everySecond, sayLive } from "./live.ts";

/** A sensor that says nothing for minutes counts as silent. */
const atLeastMs = 60_000;
const unsaid: Levels = { text: "", sentAt: -Infinity, posAt: -Infinity, pos: null };

/** Starts or stops looking, as the sensor runs or not. */
export function followLevels(sensor: Sensor): void {
  const isWanted = sensor.type === "ZOD" && sensor.running && !sensor.stopped;
  sensor.levels = everySecond(sensor, sensor.levels, {
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
  sayLive(sensor, { t: "occ", at: wallClock(sensor), zones, ...(pos ? { pos } : {}) });
  return { ...said, text, sentAt: now, ...(pos ? { pos, posAt: now } : {}) };
}

/** Where it is, as the receiver says; null without a fix, or where positions are not to be recorded. */
function positionOf(sensor: Sensor): LivePosition | null {
  const { lat, lng, speedMps, headingDeg } = fix(sensor);
  if (typeof lat !== "number" || typeof lng !== "number") return null;
  return { lat, lng, speed: Number(speedMps), heading: Number(headingDeg) };
}

/** As often as positions are to be recorded, and only when it moved as far. */
function isNewPlace(sensor: Sensor, said: Levels, pos: LivePosition | null, now: number): boolean {
  const { intervalS, minMoveM } = valuesInForce(sensor, "gps");
  if (!pos || now - said.posAt < Number(intervalS) * 1000) return false;
  return said.pos === null || metersBetween(said.pos, pos) >= Number(minMoveM);
}
