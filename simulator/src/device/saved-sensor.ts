// Persistent state of a virtual sensor across simulator restarts.
import { randomBytes } from "node:crypto";
import type { Broker } from "../link/link.ts";
import {
  addRecord,
  createBuffer,
  findOldestPendingStartMs,
  restoreBuffer,
  saveBuffer,
  type RecordBuffer,
  type SavedBuffer,
} from "../records/buffer.ts";
import { createHistorySource } from "../records/history.ts";
import type { RestInterface } from "./rest-interface.ts";
import type { SectionState } from "./section-state.ts";
import type { DesiredConfig, Job, Sensor, Setup } from "./sensor-state.ts";

export type SavedSensor = {
  id: string;
  broker: Broker | null;
  password: string | null;
  oldPassword: string | null;
  renewal?: { id: string; password: string } | null;
  fwKey: string | null;
  claimingCode: string | null;
  fw: string;
  fwSeq: number;
  births: number;
  rev: number;
  cfg: DesiredConfig;
  orderedIntervalS?: number | null;
  sections?: SectionState;
  buffer: SavedBuffer;
  /**
   * Whether the state was saved on an orderly shutdown. If not, the last assigned record number is unknown and
   * numbering must restart.
   */
  clean: boolean;
  countedTo: number;
  job: Job | null;
  restUpdate?: RestInterface["update"];
  page?: { name: string; led: boolean };
};

/**
 * Restores the buffer of the last run. After a crash, the last assigned numbers are unknown, so numbering restarts.
 * With history, the oldest waiting record and all later records are generated again. Without history, the waiting
 * records are renumbered.
 */
export function createOrRestoreBuffer({
  id,
  type,
  profile,
  world,
  saved,
  bufferLimit,
  historyMs,
}: Setup): RecordBuffer {
  if (saved?.clean)
    return restoreBuffer(
      saved.buffer,
      (source) => createHistorySource({ id, type, profile, world }, source),
      bufferLimit,
    );
  const buffer = createBuffer(randomBytes(6).toString("hex"), bufferLimit);
  if (!saved) return buffer;
  if (historyMs > 0) saved.countedTo = Math.min(saved.countedTo, findOldestPendingStartMs(saved.buffer));
  else for (const [, { text }] of saved.buffer.held) addRecord(buffer, JSON.parse(text));
  return buffer;
}

export function saveState(sensor: Sensor): SavedSensor {
  const { id, broker, password, oldPassword, renewal, fwKey, claimingCode, fw, fwSeq, births, rev, cfg } = sensor;
  const { orderedIntervalS, sections } = sensor;
  return {
    id,
    broker,
    password,
    oldPassword,
    renewal: renewal && { id: renewal.id, password: renewal.password },
    fwKey,
    claimingCode,
    fw,
    fwSeq,
    births,
    rev,
    cfg,
    orderedIntervalS,
    sections,
    buffer: saveBuffer(sensor.outbox.buffer),
    clean: sensor.stopped,
    countedTo: sensor.intervalFrom,
    job: sensor.job,
    restUpdate: sensor.rest?.update ?? null,
    page: sensor.page,
  };
}
