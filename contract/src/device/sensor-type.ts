// The supported sensor types (docs/rules/sensors.md#types).
export const sensorTypes = ["APS", "PS.C1", "ZOD"] as const;
export type SensorType = (typeof sensorTypes)[number];

/** Returns the type as in console URLs: `PS.C1` → `psc1`. */
export function typeSegment(type: SensorType): string {
  return type.toLowerCase().replaceAll(".", "");
}
