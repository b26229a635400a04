// Records on their way into the database: many devices in one transaction, each number once, acknowledged after the commit.
import type { IncomingRecord, StoreRecords, StoringSensor } from "../capability.ts";
import { recordSchema } from "@psp/contract/sensor/sensor.device.ts";
import type { Context } from "../../context.ts";
import { type GroupCommit, createGroupCommit } from "../../limits/group-commit.ts";
import { keepDeadLetters } from "./records.store.ts";
import * as store from "./records.store.ts";
import { holds, parseRanges, type Range, withNumbers } from "./received.ts";

/** `fill`: back-fill; all else is live. */
export type Envelope = { sensorId: string; ep: string; via: "live" | "fill"; recs: unknown[] };

/** What is stored of a buffer after a commit. */
export type Progress = { sensorId: string; ep: string; ranges: Range[]; firstQ: number };

export type Recorder = ReturnType<typeof createRecorder>;

const gatherMs = 25;
const maxRecords = 2_000;
/** Of a refused record this much is kept for people to look at. */
const maxLetter = 8_192;

type Good = IncomingRecord & { buffer: Buffer };
type Letter = ReturnType<typeof letter>;
type Buffer = { sensor: StoringSensor; ep: string; known: store.Epoch; fresh: number[]; seen: Set<number> };

/** `storeRecords` runs in the transaction that notes their numbers; `onProgress` is called after every commit. */
export function createRecorder(ctx: Context, storeRecords: StoreRecords, onProgress: (progress: Progress) => void) {
  const lane = (name: string): GroupCommit<Envelope> =>
    createGroupCommit({
      name,
      log: ctx.log,
      gatherMs,
      maxWeight: maxRecords,
      weigh: (envelope) => Math.max(1, envelope.recs.length),
      async run(envelopes) {
        for (const { sensor, ep, known } of await commit(ctx, storeRecords, envelopes))
          onProgress({ sensorId: sensor.id, ep, ranges: known.ranges, firstQ: known.firstQ });
      },
      split: (envelope) => envelope.recs.map((record) => ({ ...envelope, recs: [record] })),
      onPoison: (envelope, error) => bury(ctx, envelope, error),
    });
  // After an outage the fleet sends days of backlog; what is counted now must not queue behind it. The backlog
  // has two lanes, so that one batch is read while the database writes the other; a sensor keeps to its lane, and so
  // its records keep their order.
  const live = lane("live records");
  const fill = [lane("back-fill, even"), lane("back-fill, odd")] as const;
  return {
    /** Resolves after the commit. A deleted sensor's records are dropped and count as taken. */
    add: (envelope: Envelope) => (envelope.via === "live" ? live : fill[laneOf(envelope.sensorId)]).add(envelope),
    stop: async () => void (await Promise.all([live, ...fill].map((one) => one.stop("current")))),
  };
}

/** By the last digit of the id, which counts up from device to device. */
function laneOf(sensorId: string): 0 | 1 {
  return Number.parseInt(sensorId.slice(-1), 16) % 2 === 0 ? 0 : 1;
}

/** The buffers of the stored records, as they are after the commit. */
async function commit(ctx: Context, storeRecords: StoreRecords, envelopes: Envelope[]): Promise<Buffer[]> {
  const stop = ctx.metrics.ingestSeconds.startTimer();
  const { touched, events } = await ctx.db.transaction().execute(async (tx) => {
    const sensors = await store.findStoringSensors(tx, [...new Set(envelopes.map((one) => one.sensorId))]);
    const open = await openBuffers(ctx, tx, envelopes, sensors);
    const good: Good[] = [];
    const letters: Letter[] = [];
    for (const envelope of envelopes) sortOut(envelope, open.get(keyOf(envelope)), good, letters);
    const stored = await storeRecords(tx, ctx.clock.now(), good);
    for (const [index, { buffer, record }] of good.entries()) {
      const outcome = stored.outcomes[index];
      if (outcome && "reason" in outcome) letters.push(letter(buffer, record.q, outcome.reason, record));
    }
    if (letters.length > 0) await keepDeadLetters(tx, ctx.clock.now(), letters);
    const touched = [...open.values()];
    await store.saveEpochs(
      tx,
      ctx.clock.date(),
      touched
        .filter((one) => one.fresh.length > 0)
        .map((one) => ({
          sensorNum: one.sensor.num,
          ep: one.ep,
          ranges: (one.known.ranges = withNumbers(one.known.ranges, one.fresh)),
        })),
    );
    count(ctx, letters.length, stored.outcomes);
    return { touched, events: stored.events };
  });
  stop();
  for (const event of events) ctx.bus.emit(event);
  return touched;
}

const keyOf = ({ sensorId, ep }: { sensorId: string; ep: string }) => `${sensorId}/${ep}`;

/** One per sensor and epoch of the batch, their rows locked. */
async function openBuffers(
  ctx: Context,
  tx: store.Transaction,
  envelopes: Envelope[],
  sensors: Map<string, StoringSensor>,
): Promise<Map<string, Buffer>> {
  const wanted = new Map<string, { sensor: StoringSensor; ep: string }>();
  for (const envelope of envelopes) {
    const sensor = sensors.get(envelope.sensorId);
    if (sensor) wanted.set(keyOf(envelope), { sensor, ep: envelope.ep });
  }
  const rows = await store.lockEpochs(
    tx,
    ctx.clock.date(),
    [...wanted.values()].map(({ sensor, ep }) => ({ sensorNum: sensor.num, ep })),
  );
  return new Map(
    [...wanted].map(([key, { sensor, ep }]) => {
      const row = rows.get(`${sensor.num}/${ep}`);
      const known = { ranges: parseRanges(row?.stored ?? ""), firstQ: row?.first_q ?? 1 };
      return [key, { sensor, ep, known, fresh: [], seen: new Set<number>() }];
    }),
  );
}

/**
 * The records of an envelope that are new, each checked by itself: to the good ones or to the letters. The same number
 * again is a no-op whatever it says.
 */
function sortOut({ recs, via }: Envelope, buffer: Buffer | undefined, good: Good[], letters: Letter[]): void {
  if (!buffer) return;
  for (const raw of recs) {
    const q = numberOf(raw);
    // Without a number there is nothing that could be acknowledged.
    if (q === null || buffer.seen.has(q) || holds(buffer.known.ranges, q)) continue;
    buffer.seen.add(q);
    buffer.fresh.push(q);
    const checked = recordSchema.safeParse(raw);
    if (checked.success) {
      good.push({ sensor: buffer.sensor, record: checked.data, via, buffer });
      continue;
    }
    const issue = checked.error.issues[0];
    letters.push(letter(buffer, q, `${issue?.path.join(".") || "record"}: ${issue?.message ?? "invalid"}`, raw));
  }
}

/** What became of the records of a batch; one call of the meter per kind, not per record. */
function count(ctx: Context, refused: number, outcomes: readonly { outcome: string }[]): void {
  const sums = new Map<string, number>();
  for (const { outcome } of outcomes) sums.set(outcome, (sums.get(outcome) ?? 0) + 1);
  ctx.metrics.records.inc({ outcome: "refused" }, refused);
  for (const [outcome, n] of sums)
    if (outcome !== "overlap" && outcome !== "invalid") ctx.metrics.records.inc({ outcome }, n);
}

/** The least that a record must have: a number from 1 on. */
function numberOf(raw: unknown): number | null {
  if (typeof raw !== "object" || raw === null || !("q" in raw)) return null;
  const { q } = raw;
  return typeof q === "number" && Number.isSafeInteger(q) && q >= 1 ? q : null;
}

function letter(buffer: { sensor: StoringSensor; ep: string }, q: number, reason: string, record: unknown) {
  const text = JSON.stringify(record) ?? "null";
  const kept = text.length <= maxLetter ? record : { truncated: text.slice(0, maxLetter) };
  return { sensorNum: buffer.sensor.num, ep: buffer.ep, q, reason: reason.slice(0, 300), record: kept };
}

/** What the database refuses although it looked right becomes a dead letter of its number alone. */
function bury(ctx: Context, envelope: Envelope, error: unknown): Envelope | null {
  const q = numberOf(envelope.recs[0]);
  if (q === null) return null;
  ctx.log.error({ err: error, sensorId: envelope.sensorId, ep: envelope.ep, q }, "a record could not be stored");
  return { ...envelope, recs: [{ q, t: "unstorable" }] };
}
