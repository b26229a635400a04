// Queries for the received record numbers of each buffer. All callers lock in the same order.
import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { formatRanges, type NumberRange } from "./received.ts";
import type { BufferSession } from "./session.rules.ts";
import type { RecordBuffer, RecordSensor } from "../capability.ts";
import { toJsonb, toStorableJson } from "../../db/storable.ts";

export type Epoch = { ranges: NumberRange[]; firstQ: number; generation: number };
type Overwrites = RecordBuffer["overwrites"];
type EpochRow = {
  sensor_num: number;
  epoch: string;
  stored: string;
  first_q: number;
  generation: number;
  overwrites: Overwrites | null;
  sid: string | null;
  former_sids: string[];
  awaited_above: number | null;
  awaited_at: Date | null;
};

/** The server's name for an epoch. A device that restarts its numbering keeps its epoch, so the generation is appended. */
export const toEpochName = (ep: string, generation: number): string => (generation === 0 ? ep : `${ep}~${generation}`);

export const createEmptyOverwrites = (): Overwrites => ({ run: [], isSuspect: false });

/** Maximum epochs kept per device, because a broken device may start new ones all the time. */
const maxEpochs = 32;

export async function findRecordSensors(tx: Tx, ids: string[]): Promise<Map<string, RecordSensor>> {
  const { rows } = await sql<Required<RecordSensor>>`
    select s.id, s.num, extract(epoch from least(s.created_at, d.enrolled_at))::float8 * 1000 as "knownSinceMs"
    from sensor s left join device d on d.sensor_num = s.num where s.id = any(${ids}::text[]) and not s.is_deleted`.execute(
    tx,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Creates missing rows and locks all rows in order of sensor and epoch. The keys of the result are `{num}/{epoch}`. */
export async function lockEpochs(
  tx: Tx,
  now: Date,
  wanted: { sensorNum: number; ep: string }[],
): Promise<Map<string, EpochRow>> {
  if (wanted.length === 0) return new Map();
  const nums = wanted.map((one) => one.sensorNum);
  const eps = wanted.map((one) => one.ep);
  const made = await sql<{ sensor_num: number }>`
    insert into device_epoch (sensor_num, epoch, touched_at)
    select num, ep, ${now} from unnest(${nums}::int[], ${eps}::text[]) as u (num, ep) order by num, ep collate "C"
    on conflict do nothing returning sensor_num`.execute(tx);
  const { rows } = await sql<EpochRow>`
    select e.sensor_num, e.epoch, e.stored::text as stored, e.first_q, e.generation, e.overwrites, e.sid, e.former_sids,
      e.awaited_above, e.awaited_at from device_epoch e
    join unnest(${nums}::int[], ${eps}::text[]) as u (num, ep) on e.sensor_num = u.num and e.epoch = u.ep
    order by e.sensor_num, e.epoch for update of e`.execute(tx);
  const grown = new Set(made.rows.map((row) => row.sensor_num));
  if (grown.size > 0)
    await forgetOldEpochs(
      tx,
      wanted.filter((one) => grown.has(one.sensorNum)),
    );
  return new Map(rows.map((row) => [`${row.sensor_num}/${row.epoch}`, row]));
}

export function readSession(row: EpochRow | undefined): BufferSession {
  const { sid = null, former_sids: formerSids = [], awaited_above: above = null, awaited_at: at = null } = row ?? {};
  return { sid, formerSids, awaited: above === null || at === null ? null : { above, since: at.getTime() } };
}

/** Deletes the oldest epochs beyond the limit, except those in `inHand`, which look old if the clock stepped back. */
async function forgetOldEpochs(tx: Tx, inHand: { sensorNum: number; ep: string }[]): Promise<void> {
  await sql`
    delete from device_epoch e using (
      select e.sensor_num, e.epoch,
        row_number() over (partition by e.sensor_num order by (u.ep is null), e.touched_at desc, e.epoch) as age
      from device_epoch e
      left join unnest(
        ${inHand.map((one) => one.sensorNum)}::int[], ${inHand.map((one) => one.ep)}::text[]
      ) as u (num, ep) on u.num = e.sensor_num and u.ep = e.epoch
      where e.sensor_num = any(${inHand.map((one) => one.sensorNum)}::int[])
    ) old where old.age > ${maxEpochs} and e.sensor_num = old.sensor_num and e.epoch = old.epoch`.execute(tx);
}

type SavedEpoch = {
  sensor: RecordSensor;
  ep: string;
  known: Epoch;
  session: BufferSession;
  state: RecordBuffer;
  isRestartCertain: boolean;
};

export async function saveEpochs(tx: Tx, now: Date, epochs: readonly SavedEpoch[]): Promise<void> {
  if (epochs.length === 0) return;
  const overwrites = epochs.map(({ state }) =>
    state.overwrites.run.length === 0 ? null : toStorableJson(state.overwrites),
  );
  await sql`
    update device_epoch e set stored = u.stored::int8multirange, touched_at = ${now}, generation = u.generation,
      overwrites = u.overwrites, restarted_at = case when u.restarted then ${now} else e.restarted_at end,
      sid = u.sid, former_sids = array(select jsonb_array_elements_text(u.former_sids)), awaited_above = u.awaited_above,
      awaited_at = u.awaited_at
    from unnest(
      ${epochs.map((one) => one.sensor.num)}::int[], ${epochs.map((one) => one.ep)}::text[],
      ${epochs.map((one) => formatRanges(one.known.ranges))}::text[], ${epochs.map((one) => one.known.generation)}::int[],
      ${overwrites}::jsonb[], ${epochs.map((one) => one.isRestartCertain)}::boolean[],
      ${epochs.map((one) => one.session.sid)}::text[], ${epochs.map((one) => toJsonb(one.session.formerSids))}::jsonb[],
      ${epochs.map((one) => one.session.awaited?.above ?? null)}::int8[],
      ${epochs.map((one) => toDate(one.session.awaited?.since))}::timestamptz[]
    ) as u (num, ep, stored, generation, overwrites, restarted, sid, former_sids, awaited_above, awaited_at)
    where e.sensor_num = u.num and e.epoch = u.ep`.execute(tx);
}

const toDate = (ms: number | undefined) => (ms === undefined ? null : new Date(ms));

type BornEpoch = Pick<EpochRow, "epoch" | "stored" | "generation"> & { sensor_id: string; sid: string | null };

/**
 * Stores the first record number that each device still has. Returns the stored numbers of its buffer with the `sid` of the birth,
 * and nothing for a birth of a session that is not the buffer's latest one. `sid` is null where births arrive in order.
 */
export async function saveBirths(
  tx: Tx,
  now: Date,
  births: { sensorId: string; ep: string; firstQ: number; sid: string | null }[],
): Promise<BornEpoch[]> {
  const { rows: numbered } = await sql<{ num: number; id: string; ep: string; first_q: number; sid: string | null }>`
    select s.num, s.id, u.ep, u.first_q, u.sid
    from unnest(
      ${births.map((one) => one.sensorId)}::text[], ${births.map((one) => one.ep)}::text[],
      ${births.map((one) => one.firstQ)}::int8[], ${births.map((one) => one.sid)}::text[]
    ) as u (id, ep, first_q, sid) join sensor s on s.id = u.id and not s.is_deleted`.execute(tx);
  if (numbered.length === 0) return [];
  // Locks rows in the same way as the storage of records. A single statement that inserts some rows and locks others could deadlock
  // with it.
  const buffers = new Map(numbered.map(({ num, ep }) => [`${num}/${ep}`, { sensorNum: num, ep }]));
  await lockEpochs(tx, now, [...buffers.values()]);
  const { rows } = await sql<BornEpoch>`
    update device_epoch e set first_q = u.first_q
    from unnest(
      ${numbered.map((one) => one.num)}::int[], ${numbered.map((one) => one.id)}::text[],
      ${numbered.map((one) => one.ep)}::text[], ${numbered.map((one) => one.first_q)}::int8[],
      ${numbered.map((one) => one.sid)}::text[]
    ) as u (num, id, ep, first_q, sid)
    where e.sensor_num = u.num and e.epoch = u.ep and (u.sid is null or e.sid is null or e.sid = u.sid)
    returning u.id as sensor_id, e.epoch, u.sid, e.stored::text as stored, e.generation`.execute(tx);
  return rows;
}
