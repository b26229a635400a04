// Previews of a sensor by kind: camera pictures, occupancy, position.
import type { SectionValues } from "../device/section-state.ts";
import type { Sensor } from "../device/sensor-state.ts";
import { rpcErrorCodes, RefusedError } from "../section/store.ts";
import { drawCameraPictures } from "./pictures.ts";
import { createOccupancyPreview } from "./occupancy.ts";
import { gpsFix } from "./fix.ts";

type Kind = (sensor: Sensor, camera: string | null) => SectionValues | Promise<SectionValues>;

const ofCeiling = new Map<string, Kind>([["cameras", drawCameraPictures]]);
const ofCoach = new Map<string, Kind>([...ofCeiling, ["occupancy", createOccupancyPreview], ["gps", gpsFix]]);

export async function createPreview(sensor: Sensor, kind: string, camera: string | null): Promise<SectionValues> {
  const show = (sensor.type === "ZOD" ? ofCoach : ofCeiling).get(kind);
  if (!show) throw refused("kind", "There is no preview of this kind.");
  if (kind !== "cameras" && camera !== null) throw refused("camera", "This preview has no camera.");
  const at = sensor.env.clock.now();
  const shown = await show(sensor, camera);
  if (Array.isArray(shown["cameras"]) && shown["cameras"].length === 0)
    throw refused("camera", "This camera does not exist.");
  return { at, ...shown };
}

function refused(path: string, message: string): RefusedError {
  return new RefusedError(rpcErrorCodes.invalid, message, { fields: [{ path, message }] });
}
