// What a ZOD says unasked while it is connected: how many people are in each section of its coach, and where it is
// (device-protocol 7).
import { upTopic } from "@psp/contract/sensor/device-topics.ts";
import type { LiveLevel, LivePosition } from "@psp/contract/sensor/sensor.device.ts";
import { metersBetween } from "../counting/route.ts";
import { type Levels, type Sensor, wallClock } from "../device/sensor-state.ts";
import { fix } from "../preview/fix.ts";
import { peopleSeen } from "../preview/occupancy.ts";
import { valuesInForce } from "../section/sections.ts";

const lookMs = 1000;
/** A sensor that says nothing for minutes counts as silent. */
const atLeastMs = 60_000;

/** Starts or stops looking, as the sensor runs or not. */
export function followLevels(sensor: Sensor): void {
  const isWanted = sensor.type === "ZOD" && sensor.running && !sensor.stopped;
  if (!isWanted) {
    sensor.levels?.cancel();
    sensor.levels = null;
    return;
  }
  if (sensor.levels) return;
  // By the clock of the network: a world that runs faster than real time must not flood the cloud.
  const { net } = sensor.around;
  const look = (): void => {
    if (!sensor.levels) return;
    sensor.levels.cancel = net.at(net.now() + lookMs, look);
    if (sensor.phase === "up") sayLevels(sensor, sensor.levels, net.now());
    else Object.assign(sensor.levels, unsaid);
  };
  sensor.levels = { ...unsaid, cancel: net.at(net.now() + lookMs, look) };
}

const unsaid = { text: "", sentAt: -Infinity, posAt: -Infinity, pos: null };

function sayLevels(sensor: Sensor, said: Levels, now: number): void {
  const zones = peopleSeen(sensor);
  const pos = positionOf(sensor);
  const text = JSON.stringify(zones);
  const isDue = text !== said.text || now - said.sentAt >= atLeastMs || isNewPlace(sensor, said, pos, now);
  if (!isDue) return;
  said.text = text;
  said.sentAt = now;
  if (pos) Object.assign(said, { pos, posAt: now });
  const level: LiveLevel = { t: "occ", at: wallClock(sensor), zones, ...(pos ? { pos } : {}) };
  sensor.link?.publish(upTopic(sensor.id, "live"), JSON.stringify(level), { qos: 0, expiryS: 30 });
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
