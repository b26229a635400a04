// Conditions that let PostgreSQL skip the other partitions. It plans with values that are known before the query runs, not with those
// of a join.
import { type RawBuilder, sql } from "kysely";

type Span = { from: number; to: number };

/** For queries of `count_hot`: whether `start_ms` is in the time from the first to the last of these half-open spans. */
export function startsWithin<Item>(items: Iterable<Item>, toSpan: (item: Item) => Span): RawBuilder<boolean> {
  return between(sql.ref("start_ms"), items, toSpan);
}

/** For queries of `count_pack`: whether `month` is between the first and the last of these, inclusive. */
export function monthsWithin(months: Iterable<number>): RawBuilder<boolean> {
  return between(sql.ref("month"), months, (month) => ({ from: month, to: month + 1 }));
}

function between<Item>(key: RawBuilder<unknown>, items: Iterable<Item>, toSpan: (item: Item) => Span) {
  let [first, last] = [Infinity, -Infinity];
  for (const item of items) {
    const { from, to } = toSpan(item);
    first = Math.min(first, from);
    last = Math.max(last, to);
  }
  return first < last ? sql<boolean>`(${key} >= ${first} and ${key} < ${last})` : sql<boolean>`false`;
}
