// Which partitions the tables of counts need, by name and bounds: a month each of `count_hot`, a year each of `count_pack`.
import { dayMs } from "@psp/contract/kit/zone.ts";
import { utcMonth, utcMonthStart } from "../month.rules.ts";

/** Bounds are half-open, in values of the key. The lower one is null for the partition of everything before `to`. */
export type Partition = { name: string; from: number | null; to: number };

export type PartitionedTable = {
  name: "count_hot" | "count_pack";
  key: "start_ms" | "month";
  monthsEach: 1 | 12;
  toKey(month: number): number;
  /** Storage parameters of its partitions. */
  options: string;
};

export const countHot: PartitionedTable = {
  name: "count_hot",
  key: "start_ms",
  monthsEach: 1,
  toKey: utcMonthStart,
  options: "fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05",
};

export const countPack: PartitionedTable = {
  name: "count_pack",
  key: "month",
  monthsEach: 12,
  toKey: (month) => month,
  options: "autovacuum_vacuum_scale_factor = 0.05",
};

/** How long before its first count a partition is made. */
const leadMs = 62 * dayMs;

/** The periods from `fromMs` to some weeks after `nowMs`, oldest first, that are in no partition yet. */
export function findMissing(
  table: PartitionedTable,
  present: readonly Partition[],
  fromMs: number,
  nowMs: number,
): Partition[] {
  const missing: Partition[] = [];
  for (let month = firstMonthOf(table, fromMs); month <= utcMonth(nowMs + leadMs); month += table.monthsEach) {
    const [from, to] = [table.toKey(month), table.toKey(month + table.monthsEach)];
    if (present.some((one) => (one.from ?? -Infinity) < to && from < one.to)) continue;
    missing.push({ name: nameOf(table, month), from, to });
  }
  return missing;
}

/** A partition for everything before a period that begins only some weeks after `nowMs`. */
export function createPast(table: PartitionedTable, nowMs: number): Partition {
  const end = firstMonthOf(table, nowMs + leadMs) + table.monthsEach;
  return { name: nameOf(table, end, "to_"), from: null, to: table.toKey(end) };
}

function firstMonthOf({ monthsEach }: PartitionedTable, ms: number): number {
  return Math.floor(utcMonth(ms) / monthsEach) * monthsEach;
}

function nameOf({ name, monthsEach }: PartitionedTable, month: number, before = ""): string {
  const year = 1970 + Math.floor(month / 12);
  return `${name}_${before}${year}${monthsEach === 12 ? "" : `_${String((month % 12) + 1).padStart(2, "0")}`}`;
}
