// The kinds of sensor the product serves (spec 2 §9).
export const sensorTypes = ["APS", "PS.C1", "ZOD"] as const;
export type SensorType = (typeof sensorTypes)[number];

/** `PS.C1` → `psc1`: the type as it appears in console addresses (spec 2 §2). */
export function typeSegment(type: SensorType): string {
  return type.toLowerCase().replaceAll(".", "");
}
