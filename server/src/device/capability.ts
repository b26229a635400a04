// The interface that device capabilities, such as counting and firmware, implement for the gateway. nouns.ts lists the capabilities.
import type { UpKind } from "@psp/contract/device/device-topics.ts";
import type { CountRecord, DesiredState, DeviceRecord } from "@psp/contract/device/device-messages.ts";
import type { z } from "zod";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import type { UnitOfWork } from "../db/write.ts";
import type { Announcement } from "../kit/bus.ts";
import type { MessageSource } from "../mqtt/gateway.ts";

export type RecordSensor = {
  num: number;
  id: string;
  /** When the sensor was registered, in ms. If missing, records of any age are accepted. */
  knownSinceMs?: number;
};

export type Overwrite = { record: CountRecord; before: unknown[] };

/**
 * `overwrites` is the latest run of count records that replaced others without the correction flag `cor`. Once a run has three
 * records, all of them are suspect and are undone.
 */
export type RecordBuffer = { ep: string; overwrites: { run: Overwrite[]; isSuspect: boolean } };

export type IncomingRecord = {
  sensor: RecordSensor;
  record: DeviceRecord;
  /** `fill` is back-fill from `up/fill`; its counts are stored as `buffered`. */
  via: "live" | "fill";
  /** The buffer that numbered the record; missing for records that no device sent. `isRepeat`: the number was stored before. */
  origin?: { buffer: RecordBuffer; isRepeat: boolean };
};

export type RefusedRecord = { sensor: RecordSensor; ep: string; q: number | null; reason: string; record: unknown };

/**
 * `same`: the record was already stored. `overlap`, `suspect` and `invalid`: the record becomes a dead letter with `reason`. Every
 * outcome is acknowledged. `isOtherRange`: the number was used before for another time, so the device has restarted its numbering.
 */
export type RecordOutcome =
  | { outcome: "stored" | "same" | "corrected"; isOtherRange?: boolean }
  | { outcome: "overlap" | "suspect" | "invalid"; reason: string };

export type StoreResult = {
  /** One per incoming record, in the same order. */
  outcomes: RecordOutcome[];
  /** Previously stored records that the incoming ones replaced; they become dead letters. */
  displaced: RefusedRecord[];
  events: Announcement[];
};

/** Stores records of any kind and of many sensors, in order, in the gateway's transaction. */
export type StoreRecords = (tx: Tx, nowMs: number, incoming: readonly IncomingRecord[]) => Promise<StoreResult>;

/** Messages of one kind. The device gets its acknowledgement when the promise of `handle` resolves. */
export type MessageHandler = {
  kind: UpKind;
  schema: z.ZodType;
  handle(from: MessageSource, message: unknown): Promise<void> | void;
};

export function createMessageHandler<S extends z.ZodType>(
  kind: UpKind,
  schema: S,
  handle: (from: MessageSource, message: z.output<S>) => Promise<void> | void,
): MessageHandler {
  return { kind, schema, handle: (from, message) => handle(from, message as z.output<S>) };
}

export type DesiredContent = Omit<DesiredState, "rev">;

export type DesiredPart = {
  contentOf(sensorNum: number): Partial<DesiredContent>;
  onNumbered?(w: UnitOfWork, numbered: readonly { num: number; rev: number; content: DesiredContent }[]): Promise<void>;
};

export type Capability = {
  name: string;
  /** Exactly one capability implements this. */
  onRecords?: StoreRecords;
  /** Called in the transaction that computes the desired state; `base` is the URL at which devices reach the server. */
  desired?(ctx: Context, w: UnitOfWork, base: string, sensorIds: readonly string[]): Promise<DesiredPart>;
  /** Called on every enrollment, with the firmware of the init token. */
  onEnrol?(
    ctx: Context,
    w: UnitOfWork,
    enrolled: { sensorId: string; firmwareId: string | null; by: string },
  ): Promise<void>;
  /** Cancels everything pending; called when a deleted sensor enrolls again. */
  onForget?(ctx: Context, w: UnitOfWork, sensorIds: readonly string[]): Promise<void>;
  start?(ctx: Context): RunningCapability;
};

/** The one capability that stores records. */
export function findRecordStore(capabilities: readonly Capability[]): StoreRecords {
  const [store, ...others] = capabilities.flatMap(({ onRecords }) => onRecords ?? []);
  if (!store || others.length > 0) throw new Error("one capability stores the records of devices");
  return store;
}

export type RunningCapability = {
  handlers?: readonly MessageHandler[];
  /** Called after the birth is committed; does not delay its acknowledgement. */
  onBirth?(sensorId: string): void;
  /** `applied` is the revision of the desired state that the device applied. The report is acknowledged when the promise resolves. */
  onReported?(sensorId: string, applied: number | null): Promise<void>;
  stop?(): Promise<void>;
};
