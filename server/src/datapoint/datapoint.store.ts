// What the gateway stores with: records of any kind and of many sensors in one transaction, each with its outcome.
import type { DeviceRecord } from "@psp/contract/sensor/sensor.device.ts";
import type { Tx } from "../db/database.ts";

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

/**
 * Stores what came in, in order, with the time of arrival. Runs inside the gateway's transaction; sensors of one batch
 * are locked in the order of their numbers, so that parallel batches never wait in a circle.
 */
export type StoreRecords = (tx: Tx, nowMs: number, incoming: readonly IncomingRecord[]) => Promise<Stored>;

export type DeadLetter = { sensorNum: number; ep: string; q: number; reason: string; record: unknown };
/** Keeps what could not be stored; the same (sensor, ep, q) again is a no-op. */
export type KeepDeadLetters = (tx: Tx, nowMs: number, letters: readonly DeadLetter[]) => Promise<void>;
