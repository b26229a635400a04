// What devices can do beyond being there, as the gateway knows it: counting, firmware, and whatever comes next. Listed in nouns.ts.
import type { UpKind } from "@psp/contract/device/device-topics.ts";
import type { CountRecord, Desired, DeviceRecord } from "@psp/contract/device/device-messages.ts";
import type { z } from "zod";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import type { Write } from "../db/write.ts";
import type { BusEvent } from "../kit/bus.ts";
import type { From } from "../mqtt/gateway.ts";

/** The sensor a record came from, as far as storing must know it. */
export type StoringSensor = {
  num: number;
  id: string;
  /** When it was made known to the platform, in ms; missing where records of any age are believed. */
  knownSinceMs?: number;
};

/** A count record that replaced what another number had reported, and the counts as they were before. */
export type Overwrite = { record: CountRecord; before: unknown[] };

/**
 * A device's buffer as storing needs it. `overwrites` are the latest count records in succession that replaced others
 * without saying so (`cor`): with the third all of them are suspect and taken back.
 */
export type RecordBuffer = { ep: string; overwrites: { run: Overwrite[]; isSuspect: boolean } };

export type IncomingRecord = {
  sensor: StoringSensor;
  record: DeviceRecord;
  /** `fill` for what came on `up/fill`: counts of it are `buffered`. */
  via: "live" | "fill";
  /** The buffer that numbered it, missing for records that no device sent. `isRepeat`: its number was stored before. */
  origin?: { buffer: RecordBuffer; isRepeat: boolean };
};

/** A record that is kept for people to look at, in no sum. */
export type RefusedRecord = { sensor: StoringSensor; ep: string; q: number | null; reason: string; record: unknown };

/**
 * `same`: known already, nothing changed. `overlap`, `suspect` and `invalid`: not stored, belongs in the dead letters with
 * `reason`. All are to be acknowledged to the device. `isOtherRange`: its number was used before for another time, so the
 * device has restarted its numbers.
 */
export type Outcome =
  | { outcome: "stored" | "same" | "corrected"; isOtherRange?: boolean }
  | { outcome: "overlap" | "suspect" | "invalid"; reason: string };

export type Stored = {
  /** One per incoming record, in the same order. */
  outcomes: Outcome[];
  /** Records stored earlier that had to give way to these. */
  displaced: RefusedRecord[];
  /** What is announced after the commit. */
  events: BusEvent[];
};

/** Stores records of any kind and of many sensors, in order, in the gateway's transaction. */
export type StoreRecords = (tx: Tx, nowMs: number, incoming: readonly IncomingRecord[]) => Promise<Stored>;

/** Messages of one kind: parsed by the schema, then handled. The promise holds the device's acknowledgement back. */
export type Topic = { kind: UpKind; schema: z.ZodType; handle(from: From, message: unknown): Promise<void> | void };

/** A topic whose handler gets what its schema makes of the message. */
export function topic<S extends z.ZodType>(
  kind: UpKind,
  schema: S,
  handle: (from: From, message: z.output<S>) => Promise<void> | void,
): Topic {
  return { kind, schema, handle: (from, message) => handle(from, message as z.output<S>) };
}

export type DesiredContent = Omit<Desired, "rev">;

/** What a capability says about the desired state of sensors, by their numbers. */
export type DesiredPart = {
  contentOf(sensorNum: number): Partial<DesiredContent>;
  /** Called with the number under which each went out, in the same transaction. */
  onNumbered?(w: Write, numbered: readonly { num: number; rev: number; content: DesiredContent }[]): Promise<void>;
};

export type Capability = {
  name: string;
  /** Stores the records of devices; one capability of all does. */
  onRecords?: StoreRecords;
  /** Asked before the desired state of these sensors is looked at, in its transaction; `base` is where devices reach us. */
  desired?(ctx: Context, w: Write, base: string, sensorIds: readonly string[]): Promise<DesiredPart>;
  /** A device enrolled for the first time, or again, with an init token that brings this firmware. */
  onEnrol?(
    ctx: Context,
    w: Write,
    enrolled: { sensorId: string; firmwareId: string | null; by: string },
  ): Promise<void>;
  /** These sensors start over: nothing that was going on with them goes on. */
  onForget?(ctx: Context, w: Write, sensorIds: readonly string[]): Promise<void>;
  /** Begins with the gateway of this process. */
  start?(ctx: Context): RunningCapability;
};

export type RunningCapability = {
  topics?: readonly Topic[];
  /** The birth is in the database; what follows from it holds no acknowledgement. */
  onBirth?(sensorId: string): void;
  /** The device reports its state; `applied` is the number of the desired state that it took. Holds its acknowledgement. */
  onReported?(sensorId: string, applied: number | null): Promise<void>;
  /** Ends after what is at work. */
  stop?(): Promise<void>;
};
