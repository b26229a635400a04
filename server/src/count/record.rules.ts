// What storing takes from a device and what it answers about it.
import type { DeviceRecord } from "@psp/contract/sensor/sensor.device.ts";

/** The sensor a record came from, as far as storing must know it. */
export type StoringSensor = { num: number; id: string; ownerId: string; locationId: string | null };

export type IncomingRecord = {
  sensor: StoringSensor;
  record: DeviceRecord;
  /** `fill` for what came on `up/fill`: counts of it are `buffered`. */
  via: "live" | "fill";
};

/**
 * `same`: known already, nothing changed. `overlap` and `invalid`: not stored, belongs in the dead letters with `reason`.
 * All five are to be acknowledged to the device.
 */
export type Outcome = { outcome: "stored" | "same" | "corrected" } | { outcome: "overlap" | "invalid"; reason: string };

export type Stored = {
  /** One per incoming record, in the same order. */
  outcomes: Outcome[];
  /** Sensors whose counts changed, for `countsStored` after the commit. */
  counted: StoringSensor[];
};

export type Incoming<R> = { index: number; sensor: StoringSensor; record: R; via: "live" | "fill" };
