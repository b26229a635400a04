// What is handed in from outside: storing of the datapoints, so that no noun reaches into another's store, and questions to devices.
import type { DeviceRecord } from "@psp/contract/sensor/sensor.device.ts";
import type { Tx } from "../db/database.ts";
import type { DeviceAnswer, Refusal } from "./command/request.ts";

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

/** Questions to devices: by the gateway of this process, or by that of another one. Codes as in mqtt/request.ts. */
export type DeviceCalls = {
  ask(sensorId: string, func: string, data: string, timeoutMs: number): Promise<DeviceAnswer | Refusal>;
  tell(sensorId: string, func: string, data: string, timeoutMs: number): Promise<void>;
};
