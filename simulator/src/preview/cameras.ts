// Cameras of a sensor for previews and occupancy: which exist, what they watch, and what they see.
import type { Sensor } from "../device/sensor-state.ts";
import { mixSeeds } from "../random.ts";
import type { Osd } from "../faults/world.ts";
import { activeValues } from "../section/sections.ts";
import type { CameraValues } from "../section/zod.ts";

export type CameraState = "ok" | "covered" | "dark" | "bright" | "off";
export type Camera = { id: string; name: string; sectionId: string | null; rotation: number; state: CameraState };

const states: Record<Osd, CameraState> = { 0: "ok", 1: "covered", 3: "dark", 5: "bright" };
const hourMs = 3_600_000;
const coveredMs = 5 * 60_000;

export function camerasOf(sensor: Sensor): Camera[] {
  const at = sensor.env.clock.now();
  const view = states[sensor.world.view(at)];
  const values = activeValues(sensor, "camera");
  if (sensor.type !== "ZOD")
    return [{ id: "c1", name: "c1", sectionId: null, rotation: Number(values["rotation"]), state: view }];
  const { cameras } = values as CameraValues;
  // In a train, one coach is enough to show what an unknown load looks like.
  const { seed, coach } = sensor.profile;
  const covered = coach && coach.sequence !== 2 ? -1 : coveredAt(seed, at, cameras.length);
  return cameras.map(({ id, name, enabled, sectionId, rotation }, index) => ({
    id,
    name,
    sectionId,
    rotation,
    state: !enabled ? "off" : view === "ok" && index === covered ? "covered" : view,
  }));
}

/** Index of the covered camera, or -1: one camera is covered for five minutes of every hour. */
function coveredAt(seed: number, at: number, cameras: number): number {
  const hour = Math.floor(at / hourMs);
  const from = (seed % 12) * coveredMs;
  const isNow = at - hour * hourMs >= from && at - hour * hourMs < from + coveredMs;
  return isNow ? mixSeeds(seed, hour) % cameras : -1;
}
