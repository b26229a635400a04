// Reads stored counts near given records or intervals, from rows and packs.
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { Tx } from "../../db/database.ts";
import * as rules from "../count.rules.ts";
import * as store from "../count.store.ts";
import { dayMs } from "@psp/contract/kit/zone.ts";
import { utcMonth } from "../month.rules.ts";
import type { IndexedRecord } from "./other-record.store.ts";

/** Finds counts near these records and near earlier ones that may be undone. Rows override packs. */
export async function findCountsNearRecords(
  tx: Tx,
  bySensor: Map<number, IndexedRecord<CountRecord>[]>,
  counters: Map<number, store.Counter>,
): Promise<Map<number, store.UnpackedCount[]>> {
  const spans = new Map(
    [...bySensor].map(([num, records]) => {
      const buffers = new Set(records.flatMap(({ origin }) => origin?.buffer ?? []));
      const earlier = [...buffers].flatMap(({ overwrites }) => overwrites.run.map(({ record }) => record));
      return [num, [...records.map(({ record }) => record), ...earlier]];
    }),
  );
  return findCountsNearIntervals(tx, spans, counters);
}

/** Finds counts near these intervals of each sensor. Rows override packs. */
export async function findCountsNearIntervals(
  tx: Tx,
  intervals: ReadonlyMap<number, readonly RecordInterval[]>,
  counters: Map<number, store.Counter>,
): Promise<Map<number, store.UnpackedCount[]>> {
  const packedTo = (num: number) => counters.get(num)?.packedToMs ?? -Infinity;
  const windows = [...intervals].flatMap(([num, some]) => windowsOf(num, some, packedTo(num)));
  const unpacked = await store.findUnpackedCountsWithin(tx, windows);
  const stored = Map.groupBy(unpacked, (row) => row.sensorNum);
  const packed = windows.filter((w) => w.fromMs < packedTo(w.sensorNum));
  const packs = await store.findPacks(tx, packed.flatMap(monthsOf));
  for (const window of packed) {
    const { sensorNum, fromMs, toMs } = window;
    const rows = stored.get(sensorNum) ?? [];
    const newer = new Set(rows.map((row) => `${row.lineNo}/${row.startMs}`));
    for (const { month } of monthsOf(window)) {
      for (const count of packs.get(`${sensorNum}/${month}`) ?? []) {
        if (count.startMs < fromMs || count.startMs >= toMs || newer.has(`${count.lineNo}/${count.startMs}`)) continue;
        rows.push({ ...count, sensorNum, overPack: true, origin: null });
      }
    }
    stored.set(sensorNum, rows);
  }
  return stored;
}

export type RecordInterval = { s: number; e: number };

/**
 * Returns the time ranges in which to look for stored counts. Records far apart get separate ranges. In packed months, a range
 * starts an hour early to include counts that overlap its start and rows that correct them.
 */
function windowsOf(sensorNum: number, records: readonly RecordInterval[], packedToMs: number): store.CountWindow[] {
  const windows: store.CountWindow[] = [];
  for (const record of records.toSorted((a, b) => a.s - b.s)) {
    const last = windows.at(-1);
    const earlyMs = record.s - rules.maxDurationMs;
    if (last && record.s - last.toMs < dayMs) last.toMs = Math.max(last.toMs, record.e);
    else windows.push({ sensorNum, fromMs: earlyMs < packedToMs ? earlyMs : record.s, toMs: record.e });
  }
  return windows;
}

function monthsOf({ sensorNum, fromMs, toMs }: store.CountWindow): { sensorNum: number; month: number }[] {
  const first = utcMonth(fromMs);
  return Array.from({ length: utcMonth(toMs - 1) - first + 1 }, (_, i) => ({ sensorNum, month: first + i }));
}
