// Stores records in batches: many devices per transaction, each number once, acknowledged after the commit.
import type { IncomingRecord, RecordBuffer, RefusedRecord, StoreRecords, RecordSensor } from "../capability.ts";
import type { Context } from "../../context.ts";
import { type GroupCommit, createGroupCommit } from "../../db/group-commit.ts";
import { announcing } from "../../db/write.ts";
import { findStoredDeadLetters, saveDeadLetters } from "./dead-letter.store.ts";
import { requestDeviceChecks } from "../device-check.store.ts";
import type { Tx } from "../../db/database.ts";
import * as store from "./records.store.ts";
import { readRecord } from "./read-record.ts";
import {
  type BufferSession,
  beginWithBirth,
  beginWithRecords,
  isBirthAwaited,
  judgeNumbering,
} from "./session.rules.ts";
import { findHighestNumber, hasNumber, parseRanges, type NumberRange, addNumbers } from "./received.ts";

/**
 * `via` is `fill` for back-fill. `birth` is set for a birth: its `seq`. `sid` is the session, set only with an
 * external broker, which may deliver births late and repeatedly; without it, each birth begins a session. `unreadable` is set for a
 * message without readable records.
 */
export type RecordBatch = {
  sensorId: string;
  ep: string;
  via: "live" | "fill";
  recs: unknown[];
  sid?: string;
  birth?: { first: number; next: number };
  unreadable?: { reason: string; excerpt: string };
};

/** Stored numbers of a buffer after a commit. A higher generation is newer, even if its ranges contain less. */
export type StoredProgress = {
  sensorId: string;
  ep: string;
  generation: number;
  ranges: NumberRange[];
  firstQ: number;
  /** Records of a session arrived before its birth, which will tell whether they continue the numbering. */
  isBirthAwaited: boolean;
};

export type Recorder = ReturnType<typeof createRecorder>;

const gatherMs = 25;
const maxRecords = 2_000;

type Buffer = {
  sensor: RecordSensor;
  ep: string;
  known: store.Epoch;
  session: BufferSession;
  numbers: number[];
  seen: Set<number>;
  state: RecordBuffer;
  hasRestarted: boolean;
  /** Set if the device used numbers again, so that its owner must know. */
  isRestartCertain: boolean;
  /** Whether the row must be stored, even if no number is added. */
  hasChanged: boolean;
};
/** `at` is the index in the buffer's `numbers`. */
type Good = IncomingRecord & { buffer: Buffer; at: number; raw: unknown };
type Sorted = { good: Good[]; letters: RefusedRecord[] };

/**
 * `storeRecords` runs in the transaction that stores the numbers. After the commit, `onProgress` is called for every buffer, and
 * `onMissingBirth` for sensors whose records arrived without the birth of their session `sid`.
 */
export function createRecorder(
  ctx: Context,
  storeRecords: StoreRecords,
  onProgress: (progress: StoredProgress) => void,
  onMissingBirth: (sensorId: string, sid: string) => void,
) {
  const lane = (name: string): GroupCommit<RecordBatch> =>
    createGroupCommit({
      name,
      log: ctx.log,
      gatherMs,
      maxWeight: maxRecords,
      weigh: (batch) => Math.max(1, batch.recs.length),
      async run(batches) {
        for (const { sensor, ep, known, session } of await commit(ctx, storeRecords, batches)) {
          const isAwaited = isBirthAwaited(session, ctx.clock.now());
          onProgress({ sensorId: sensor.id, ep, ...known, isBirthAwaited: isAwaited });
          if (isAwaited && session.sid !== null) onMissingBirth(sensor.id, session.sid);
        }
      },
      split: (batch) => batch.recs.map((record) => ({ ...batch, recs: [record] })),
      onPoison: (batch, error) => toDeadLetter(ctx, batch, error),
    });
  // After an outage the fleet sends days of backlog; live records must not queue behind it. The backlog has two lanes, so that one batch is
  // parsed while the database writes the other. Each sensor has a fixed lane, which keeps its records in order.
  const live = lane("live records");
  const fill = [lane("back-fill, even"), lane("back-fill, odd")] as const;
  return {
    /** Resolves after the commit. Records of a deleted sensor are dropped and acknowledged. */
    add: (batch: RecordBatch) => (batch.via === "live" ? live : fill[laneOf(batch.sensorId)]).add(batch),
    stop: async () => void (await Promise.all([live, ...fill].map((one) => one.stop("current")))),
  };
}

/** Uses the last digit, which splits the fleet evenly because ids are assigned consecutively. */
function laneOf(sensorId: string): 0 | 1 {
  return Number.parseInt(sensorId.slice(-1), 16) % 2 === 0 ? 0 : 1;
}

async function commit(ctx: Context, storeRecords: StoreRecords, batches: RecordBatch[]): Promise<Buffer[]> {
  const stop = ctx.metrics.ingestSeconds.startTimer();
  const touched = await announcing(ctx, async (tx, announce) => {
    const sensors = await store.findRecordSensors(tx, [...new Set(batches.map((one) => one.sensorId))]);
    const open = await openBuffers(ctx, tx, batches, sensors);
    const sorted: Sorted = { good: [], letters: [] };
    for (const batch of batches) validateRecords(batch, ctx.clock.now(), sensors.get(batch.sensorId), open, sorted);
    const good = await dropKnownRefusals(tx, sorted.good);
    const stored = await storeRecords(tx, ctx.clock.now(), good);
    const letters = [...sorted.letters, ...stored.displaced];
    for (const [index, { buffer, record, raw, at }] of good.entries()) {
      const outcome = stored.outcomes[index];
      if (!outcome) continue;
      if ("reason" in outcome) letters.push(refused(buffer, record.q, outcome.reason, raw));
      else if (outcome.isOtherRange && !buffer.hasRestarted) restart(buffer, at, true);
    }
    await saveDeadLetters(tx, ctx.clock.now(), letters);
    const touched = [...open.values()];
    for (const { known, numbers } of touched) known.ranges = addNumbers(known.ranges, numbers);
    await store.saveEpochs(
      tx,
      ctx.clock.date(),
      touched.filter(({ numbers, hasRestarted, hasChanged }) => numbers.length > 0 || hasRestarted || hasChanged),
    );
    const suspicious = [...letters, ...touched.filter(({ isRestartCertain }) => isRestartCertain)];
    await requestDeviceChecks(
      tx,
      suspicious.map(({ sensor }) => sensor.num),
      ctx.clock.date(),
    );
    count(ctx, letters.length, stored.outcomes);
    stored.events.forEach(announce);
    return touched;
  });
  stop();
  return touched;
}

const keyOf = ({ sensorId, ep }: { sensorId: string; ep: string }) => `${sensorId}/${ep}`;

async function openBuffers(
  ctx: Context,
  tx: Tx,
  batches: RecordBatch[],
  sensors: Map<string, RecordSensor>,
): Promise<Map<string, Buffer>> {
  const wanted = new Map<string, { sensor: RecordSensor; ep: string }>();
  for (const batch of batches) {
    const sensor = sensors.get(batch.sensorId);
    if (sensor && !batch.unreadable) wanted.set(keyOf(batch), { sensor, ep: batch.ep });
  }
  const rows = await store.lockEpochs(
    tx,
    ctx.clock.date(),
    [...wanted.values()].map(({ sensor, ep }) => ({ sensorNum: sensor.num, ep })),
  );
  return new Map(
    [...wanted].map(([key, { sensor, ep }]) => {
      const row = rows.get(`${sensor.num}/${ep}`);
      const generation = row?.generation ?? 0;
      const known = { ranges: parseRanges(row?.stored ?? ""), firstQ: row?.first_q ?? 1, generation };
      const state = {
        ep: store.toEpochName(ep, generation),
        overwrites: row?.overwrites ?? store.createEmptyOverwrites(),
      };
      const session = store.readSession(row);
      const at = {
        numbers: [],
        seen: new Set<number>(),
        hasRestarted: false,
        isRestartCertain: false,
        hasChanged: Boolean(row?.overwrites),
      };
      return [key, { sensor, ep, known, session, state, ...at }];
    }),
  );
}

function validateRecords(
  { recs, via, sensorId, ep, sid, birth, unreadable }: RecordBatch,
  nowMs: number,
  sensor: RecordSensor | undefined,
  open: Map<string, Buffer>,
  { good, letters }: Sorted,
): void {
  if (!sensor) return;
  if (unreadable) {
    letters.push({ sensor, ep, q: null, reason: unreadable.reason, record: { payload: unreadable.excerpt } });
    return;
  }
  const buffer = open.get(keyOf({ sensorId, ep }));
  if (!buffer) return;
  if (birth || sid !== undefined) noteSession(buffer, nowMs, sid, birth);
  for (const raw of recs) {
    const q = numberOf(raw);
    const { record, refused: reason } = readRecord(raw);
    if (q === null) {
      letters.push(refused(buffer, null, reason ?? "q: invalid", raw));
      continue;
    }
    const isRepeat = buffer.seen.has(q) || hasNumber(buffer.known.ranges, q);
    const at = buffer.numbers.push(q) - 1;
    buffer.seen.add(q);
    if (reason !== null) letters.push(refused(buffer, q, reason, raw));
    if (record !== null)
      good.push({ sensor, record, via, origin: { buffer: buffer.state, isRepeat }, buffer, at, raw });
  }
}

/** Begins a session with its birth or, if they arrive first, with its records. */
function noteSession(buffer: Buffer, nowMs: number, sid: string | undefined, birth: RecordBatch["birth"]): void {
  const highest = () => Math.max(findHighestNumber(buffer.known.ranges), ...buffer.seen);
  const isAnyStored = (above: number, below: number) => {
    const isBetween = (q: number) => q > above && q < below;
    return buffer.known.ranges.some(([from, to]) => from < below && to - 1 > above) || [...buffer.seen].some(isBetween);
  };
  if (birth) {
    const born = beginWithBirth(buffer.session, sid, highest);
    if (!born) return;
    const numbering = judgeNumbering(born, birth, isAnyStored);
    begin(buffer, born.session, born.isLate);
    if (numbering !== "continues") restart(buffer, buffer.numbers.length, numbering === "restarted");
  } else if (sid !== undefined) {
    const session = beginWithRecords(buffer.session, sid, nowMs, highest);
    if (session) begin(buffer, session, false);
  }
}

function begin(buffer: Buffer, session: BufferSession, isLate: boolean): void {
  if (!isLate) buffer.state.overwrites = store.createEmptyOverwrites();
  if (session !== buffer.session) buffer.hasChanged = true;
  buffer.session = session;
}

/**
 * Starts a new generation, because the device restarted its numbering, or because that is unclear. The numbers before index `from`
 * belong to the finished generation. The device sends unacknowledged records again; they are recognized by their content.
 */
function restart(buffer: Buffer, from: number, isCertain: boolean): void {
  buffer.hasRestarted = true;
  buffer.isRestartCertain ||= isCertain;
  buffer.session = { ...buffer.session, awaited: null };
  const generation = buffer.known.generation + 1;
  buffer.known = { ...buffer.known, ranges: [], generation };
  buffer.numbers = buffer.numbers.slice(from);
  buffer.seen = new Set(buffer.numbers);
  buffer.state.ep = store.toEpochName(buffer.ep, generation);
}

async function dropKnownRefusals(tx: Tx, good: readonly Good[]): Promise<readonly Good[]> {
  const repeats = good.filter(({ origin }) => origin?.isRepeat);
  if (repeats.length === 0) return good;
  const letters = repeats.flatMap(({ buffer, record, raw }) =>
    [raw, record].map((either) => refused(buffer, record.q, "", either)),
  );
  const known = await findStoredDeadLetters(tx, letters);
  const old = new Set(repeats.filter((_, index) => known.has(2 * index) || known.has(2 * index + 1)));
  return good.filter((one) => !old.has(one));
}

/** Increments each counter once per batch, because once per record is too slow. */
function count(ctx: Context, refused: number, outcomes: readonly { outcome: string }[]): void {
  const sums = new Map<string, number>();
  for (const { outcome } of outcomes) sums.set(outcome, (sums.get(outcome) ?? 0) + 1);
  ctx.metrics.records.inc({ outcome: "refused" }, refused);
  for (const [outcome, n] of sums)
    if (outcome !== "overlap" && outcome !== "suspect" && outcome !== "invalid")
      ctx.metrics.records.inc({ outcome }, n);
}

/** Null unless the record has a positive integer number. */
function numberOf(raw: unknown): number | null {
  if (typeof raw !== "object" || raw === null || !("q" in raw)) return null;
  const { q } = raw;
  return typeof q === "number" && Number.isSafeInteger(q) && q >= 1 ? q : null;
}

function refused({ sensor, state }: Buffer, q: number | null, reason: string, record: unknown): RefusedRecord {
  return { sensor, ep: state.ep, q, reason, record };
}

/** Replaces a record that the database refuses with one that becomes a dead letter; null without a record number. */
function toDeadLetter(ctx: Context, batch: RecordBatch, error: unknown): RecordBatch | null {
  const q = numberOf(batch.recs[0]);
  if (q === null) return null;
  ctx.log.error({ err: error, sensorId: batch.sensorId, ep: batch.ep, q }, "a record could not be stored");
  return { ...batch, recs: [{ q, t: "unstorable" }] };
}
