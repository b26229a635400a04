// Stores records other than counts: health slices, events, occupancy, dwell and positions.
import type { CountRecord, DeviceRecord } from "@psp/contract/device/device-messages.ts";
import { sql } from "kysely";
import { toPgColumn } from "../../db/arrays.ts";
import type { Tx } from "../../db/database.ts";
import { toStorableJson, toStorableText } from "../../db/storable.ts";
import type { IncomingRecord, RecordOutcome } from "../../device/capability.ts";
import * as rules from "../count.rules.ts";
import { type FactMarks, addFactMark } from "../fact-mark.store.ts";
import { dayMs } from "@psp/contract/kit/zone.ts";

export type OtherRecord = Exclude<DeviceRecord, CountRecord>;

export type IndexedRecord<R> = Omit<IncomingRecord, "record"> & { index: number; record: R };

/** Unique by kind, sensor, start and `sub`. */
type OtherRow = {
  index: number;
  kind: string;
  num: number;
  start: number;
  sub: string;
  end: number;
  ahead: boolean;
  body: string;
};

/**
 * Stores records. Identical content is a no-op; different content for the same key is a correction. If a record number is
 * repeated with an unknown key, the number was used before for another time (`isOtherRange`).
 */
export async function storeOtherRecords(
  tx: Tx,
  nowMs: number,
  incoming: readonly IndexedRecord<OtherRecord>[],
  outcomes: RecordOutcome[],
  marks: FactMarks,
): Promise<void> {
  const rows = new Map<string, OtherRow>();
  const repeats: OtherRow[] = [];
  for (const { index, sensor, record, origin, via } of incoming) {
    const reason = badOther(record, rules.toRecordContext({ sensor, via }, nowMs));
    if (reason) {
      outcomes[index] = { outcome: "invalid", reason };
      continue;
    }
    const row = toRow(index, sensor.num, record, nowMs);
    if (isFact(record)) addFactMark(marks, sensor.num, row.start);
    const key = keyOf(row);
    const earlier = rows.get(key);
    if (origin?.isRepeat && !earlier) repeats.push(row);
    // If a batch has the same key twice, the later record wins, and the earlier one is reported as stored.
    if (earlier) outcomes[earlier.index] = { outcome: earlier.body === row.body ? "same" : "stored" };
    rows.set(key, row);
  }
  const known = await findKeys(tx, repeats);
  await upsert(tx, [...rows.values()], outcomes);
  for (const row of repeats) {
    const outcome = outcomes[row.index];
    if (outcome && !("reason" in outcome)) outcome.isOtherRange = !known.has(keyOf(row));
  }
}

const keyOf = ({ kind, num, start, sub }: Pick<OtherRow, "kind" | "num" | "start" | "sub">) =>
  `${kind}/${num}/${start}/${sub}`;

async function findKeys(tx: Tx, rows: readonly OtherRow[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const { rows: found } = await sql<Pick<OtherRow, "kind" | "num" | "start" | "sub">>`
    select d.kind, d.sensor_num as num, d.start_ms as start, d.sub
    from unnest(${rows.map((r) => r.kind)}::text[], ${toPgColumn(rows, (r) => r.num)}::int[],
      ${toPgColumn(rows, (r) => r.start)}::bigint[], ${rows.map((r) => r.sub)}::text[]) r (kind, num, start, sub)
    join device_record d on d.kind = r.kind and d.sensor_num = r.num and d.start_ms = r.start and d.sub = r.sub`.execute(
    tx,
  );
  return new Set(found.map(keyOf));
}

/** Whether monitoring evaluates the record: health, and obstructions of the view. */
function isFact(record: OtherRecord): boolean {
  return record.t === "health" || (record.t === "event" && record.kind === "osd");
}

function badOther(record: OtherRecord, life: rules.RecordContext): string | null {
  const e = record.e ?? record.s;
  const time = rules.findTimeError({ s: record.s, e, ck: record.ck }, life);
  if (time) return time;
  if (record.t !== "event" && record.t !== "position" && e === record.s) return "The interval is empty";
  if (e - record.s > dayMs) return "The interval is longer than a day";
  return null;
}

function toRow(index: number, num: number, record: OtherRecord, nowMs: number): OtherRow {
  const { q: _q, t, s, e = s, ...body } = record;
  const ahead = rules.isFutureRecord({ s, e, ck: record.ck }, nowMs);
  const sub = record.t === "event" ? toStorableText(record.kind) : "";
  return { index, kind: t, num, start: s, sub, end: e, ahead, body: toStorableJson(body) };
}

async function upsert(tx: Tx, rows: readonly OtherRow[], outcomes: RecordOutcome[]): Promise<void> {
  if (rows.length === 0) return;
  const { rows: written } = await sql<{ kind: string; num: number; start: number; sub: string; isNew: boolean }>`
    insert into device_record as d (kind, sensor_num, start_ms, sub, end_ms, is_ahead, body)
    select * from unnest(${rows.map((r) => r.kind)}::text[], ${toPgColumn(rows, (r) => r.num)}::int[], ${toPgColumn(rows, (r) => r.start)}::bigint[],
      ${rows.map((r) => r.sub)}::text[], ${toPgColumn(rows, (r) => r.end)}::bigint[], ${toPgColumn(rows, (r) => r.ahead)}::boolean[],
      ${rows.map((r) => r.body)}::jsonb[]) r (kind, num, start, sub) order by kind, num, start, sub
    on conflict (kind, sensor_num, start_ms, sub) do update
      set end_ms = excluded.end_ms, is_ahead = excluded.is_ahead, body = excluded.body, corrections = d.corrections + 1
      where (d.end_ms, d.is_ahead, d.body) is distinct from (excluded.end_ms, excluded.is_ahead, excluded.body)
    returning kind, sensor_num as num, start_ms as start, sub, corrections = 0 as "isNew"`.execute(tx);
  const found = new Map(written.map((row) => [keyOf(row), row.isNew]));
  for (const row of rows) {
    const isNew = found.get(keyOf(row));
    outcomes[row.index] = { outcome: isNew === undefined ? "same" : isNew ? "stored" : "corrected" };
  }
}
