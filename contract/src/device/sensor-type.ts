// The kinds of sensor the product serves (docs/rules/sensors.md#types).
export const sensorTypes = ["APS", "PS.C1", "ZOD"] as const;
export type SensorType = (typeof sensorTypes)[number];

/** `PS.C1` → `psc1`: the type as it appears in console addresses. */
export function typeSegment(type: SensorType): string {
  return type.toLowerCase().replaceAll(".", "");
}
