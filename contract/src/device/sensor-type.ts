// The supported sensor types (docs/rules/sensors.md#types).
export const sensorTypes = ["APS", "PS.C1", "ZOD"] as const;
export type SensorType = (typeof sensorTypes)[number];

/** `PS.C1` → `psc1`, as in console URLs. */
export function typeSegment(type: SensorType): string {
  return type.toLowerCase().replaceAll(".", "");
}
