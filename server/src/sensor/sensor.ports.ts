// What storing asks of the datapoints, as values that are handed in: a noun does not reach into another's store.
import type { DeviceRecord } from "@psp/contract/sensor/sensor.device.ts";
import type { Tx } from "../db/database.ts";

export type StoringSensor = { num: number; id: string; ownerId: string; locationId: string | null };
export type IncomingRecord = { sensor: StoringSensor; record: DeviceRecord; via: "live" | "fill" };
export type Outcome = { outcome: "stored" | "same" | "corrected" } | { outcome: "overlap" | "invalid"; reason: string };
/** One outcome per record, in the same order; `counted` are the sensors whose counts changed. */
export type StoreRecords = (
  tx: Tx,
  nowMs: number,
  incoming: readonly IncomingRecord[],
) => Promise<{ outcomes: Outcome[]; counted: StoringSensor[] }>;

export type DeadLetter = { sensorNum: number; ep: string; q: number; reason: string; record: unknown };
export type KeepDeadLetters = (tx: Tx, nowMs: number, letters: readonly DeadLetter[]) => Promise<void>;
