// States of vehicles and coaches, and the times after which they change. Without zod, because the console reads them on each message.

export const vehicleStates = ["occupied", "empty", "unknown", "outOfService"] as const;
export type VehicleState = (typeof vehicleStates)[number];

const minuteMs = 60_000;
/** Levels and positions of this age and older are unknown. */
export const levelLifetimeMs = 5 * minuteMs;
/** A vehicle is out of service when all its sensors have been disconnected for this time. */
export const outOfServiceAfterMs = 60 * minuteMs;
