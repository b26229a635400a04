// Health slices, events, occupancy, dwell and positions of devices: one row per sensor, kind and start.
import type { CountRecord, DeviceRecord } from "@psp/contract/sensor/sensor.device.ts";
import { sql } from "kysely";
import type { Tx } from "../db/database.ts";
import { badTime, isAhead } from "./count.rules.ts";
import { numbers } from "../db/arrays.ts";
import type { Outcome, StoringSensor } from "../device/capability.ts";
import { toStorableJson, toStorableText } from "../db/storable.ts";
import { dayMs } from "./zone.rules.ts";

/** A record with its place among all that came. */
export type Incoming<R> = { index: number; sensor: StoringSensor; record: R; via: "live" | "fill" };

export type OtherRecord = Exclude<DeviceRecord, CountRecord>;

type Row = {
  index: number;
  kind: string;
  num: number;
  start: number;
  sub: string;
  end: number;
  ahead: boolean;
  body: string;
};

/** Writes the records and their outcomes: the same again is a no-op, other content of the same key corrects. */
export async function storeOthers(
  tx: Tx,
  nowMs: number,
  incoming: readonly Incoming<OtherRecord>[],
  outcomes: Outcome[],
): Promise<void> {
  const rows = new Map<string, Row>();
  for (const { index, sensor, record } of incoming) {
    const reason = badOther(record);
    if (reason) {
      outcomes[index] = { outcome: "invalid", reason };
      continue;
    }
    const row = toRow(index, sensor.num, record, nowMs);
    const key = `${row.kind}/${row.num}/${row.start}/${row.sub}`;
    const earlier = rows.get(key);
    // A key twice in one batch: the later record counts, the earlier one was stored as far as its sender is concerned.
    if (earlier) outcomes[earlier.index] = { outcome: earlier.body === row.body ? "same" : "stored" };
    rows.set(key, row);
  }
  await upsert(tx, [...rows.values()], outcomes);
}

function badOther(record: OtherRecord): string | null {
  const e = record.e ?? record.s;
  const time = badTime({ s: record.s, e, ck: record.ck });
  if (time) return time;
  if (record.t !== "event" && record.t !== "position" && e === record.s) return "The interval is empty";
  if (e - record.s > dayMs) return "The interval is longer than a day";
  return null;
}

function toRow(index: number, num: number, record: OtherRecord, nowMs: number): Row {
  const { q: _q, t, s, e = s, ...body } = record;
  const ahead = isAhead({ s, e, ck: record.ck }, nowMs);
  const sub = record.t === "event" ? toStorableText(record.kind) : "";
  return { index, kind: t, num, start: s, sub, end: e, ahead, body: toStorableJson(body) };
}

async function upsert(tx: Tx, rows: readonly Row[], outcomes: Outcome[]): Promise<void> {
  if (rows.length === 0) return;
  const column = (pick: (row: Row) => number | boolean) => numbers(rows.map(pick));
  const { rows: written } = await sql<{ kind: string; num: number; start: number; sub: string; isNew: boolean }>`
    insert into device_record as d (kind, sensor_num, start_ms, sub, end_ms, is_ahead, body)
    select * from unnest(${rows.map((r) => r.kind)}::text[], ${column((r) => r.num)}::int[], ${column((r) => r.start)}::bigint[],
      ${rows.map((r) => r.sub)}::text[], ${column((r) => r.end)}::bigint[], ${column((r) => r.ahead)}::boolean[],
      ${rows.map((r) => r.body)}::jsonb[]) r (kind, num, start, sub) order by kind, num, start, sub
    on conflict (kind, sensor_num, start_ms, sub) do update
      set end_ms = excluded.end_ms, is_ahead = excluded.is_ahead, body = excluded.body, corrections = d.corrections + 1
      where (d.end_ms, d.is_ahead, d.body) is distinct from (excluded.end_ms, excluded.is_ahead, excluded.body)
    returning kind, sensor_num as num, start_ms as start, sub, corrections = 0 as "isNew"`.execute(tx);
  const found = new Map(written.map((row) => [`${row.kind}/${row.num}/${row.start}/${row.sub}`, row.isNew]));
  for (const row of rows) {
    const isNew = found.get(`${row.kind}/${row.num}/${row.start}/${row.sub}`);
    outcomes[row.index] = { outcome: isNew === undefined ? "same" : isNew ? "stored" : "corrected" };
  }
}
