// Oracle for conversion (docs/rules/sales.md#conversion): entry by entry in whole numbers, people as in the oracle of open time.
import type { SalesFigures, SalesTotal } from "@psp/contract/counts/sales-figures.ts";
import {
  addTallies,
  dayStart,
  earlierPart,
  type Oracle,
  plainDate,
  type Tally,
  type Time,
} from "../open.oracle.testing.ts";

/** One stored entry. Revenue is in thousandths and staff hours in hundredths, so that sums are exact. */
export type Entry = Time & {
  /** Of the location, when the entry was stored. */
  owner: string;
  /** Later entries have higher numbers. */
  stored: number;
  transactions: number;
  revenue: number;
  currency: string;
  staff: number | null;
};
/** The sales of one location on one day, as far as they are in the range. `people` is null if they are not known. */
export type SoldDay = { entries: Entry[]; people: number | null };
/** What a reader may edit, by owner. */
export type MayEdit = (owner: string) => boolean;
export type View = {
  oracle: Oracle;
  /** Those that the reader sees. */
  entries: readonly Entry[];
  open: boolean;
  /** Whether an event leaves this day out of comparisons. */
  isExcluded: (date: string) => boolean;
};
export type Days = { first: string; last: string; weeks: number };
/** Days that can be compared, with the earlier ones. */
export type Pair = { now: SoldDay; before: SoldDay };

const overlaps = (a: Time, b: Time) => a.from < b.to && b.from < a.to;
const isWithin = (a: Time, b: Time) => a.from >= b.from && a.to <= b.to;
const sum = <T>(list: readonly T[], of: (one: T) => number) => list.reduce((all, one) => all + of(one), 0);

/** Of entries of different owners that overlap, only the one that was stored last. */
export function visibleEntries(entries: readonly Entry[], owner: string, mayEdit: MayEdit): Entry[] {
  if (!mayEdit(owner)) return [];
  const readable = entries.filter((one) => one.owner === owner || mayEdit(one.owner));
  return readable.filter(
    (one) => !readable.some((two) => two.owner !== one.owner && two.stored > one.stored && overlaps(one, two)),
  );
}

/** Stores an entry, as far as the rules of replacement allow. Returns whether they do. */
export function storeEntry(entries: Entry[], entry: Entry): boolean {
  const touched = entries.filter((one) => one.owner === entry.owner && overlaps(one, entry));
  if (!touched.every((one) => isWithin(one, entry))) return false;
  for (const one of touched) entries.splice(entries.indexOf(one), 1);
  entries.push(entry);
  return true;
}

type Facts = { date: string; isClosed: boolean; all: Tally; within: Tally };
const kept = new WeakMap<Oracle, Map<string, Facts>>();

/** What the oracle of open time says about an entry. Kept, because it looks at every minute. */
function factsOf(oracle: Oracle, { from, to }: Time): Facts {
  const known = kept.get(oracle) ?? new Map<string, Facts>();
  kept.set(oracle, known);
  const key = `${from} ${to}`;
  const facts = known.get(key) ?? {
    date: Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(oracle.place.zone).toPlainDate().toString(),
    isClosed: oracle.isClosed({ from, to }),
    all: oracle.tally({ from, to }, false),
    within: oracle.tally({ from, to }, true),
  };
  known.set(key, facts);
  return facts;
}

const tallyOf = ({ oracle, open }: View, time: Time) => factsOf(oracle, time)[open ? "within" : "all"];

function countPeople(view: View, entries: readonly Entry[]): number | null {
  if (entries.some((one) => one.to > view.oracle.place.now)) return null;
  const all = addTallies(entries.map((one) => tallyOf(view, one)));
  return isKnown(view, all, entries) ? all.in : null;
}

/** Time without any sensor before the first and after the last one is missing in proportion. */
function isKnown({ oracle }: View, all: Tally, times: readonly Time[]): boolean {
  const share = sum(times, (one) => oracle.watchedMs(one)) / sum(times, (one) => oracle.openMs(one));
  return all.expected > 0 && (all.known / all.expected) * share >= 0.8;
}

/** The days with sales of a range. Entries that are in no single day are left out: the zone has changed since they were stored. */
export function soldDays(view: View, time: Time): SoldDay[] {
  const { oracle, open } = view;
  const dayOf = (one: Entry) => dayTime(view, plainDate(factsOf(oracle, one).date));
  const counted = view.entries
    .filter((one) => isWithin(one, time) && isWithin(one, dayOf(one)))
    .filter((one) => !(open && factsOf(oracle, one).isClosed));
  const days = Map.groupBy(counted, (one) => factsOf(oracle, one).date);
  return [...days.values()].map((entries) => ({ entries, people: countPeople(view, entries) }));
}

/** The sales of an hour: an entry counts only in the hour that has its start and end. */
export function soldHour(view: View, { from, to }: Time): SoldDay[] {
  const entries = view.entries.filter((one) => one.from === from && one.to === to);
  return soldDays({ ...view, entries }, { from, to });
}

/**
 * Whether the rules leave open if a day is known: where its hours cover all open time, a record that reaches over the edge of an hour
 * is known time of the day, but not of these hours.
 */
export function isUndecided(view: View): boolean {
  const { oracle, open } = view;
  if (!open || oracle.place.hours === null) return false;
  const days = Map.groupBy(view.entries, (one) => factsOf(oracle, one).date);
  return [...days].some(([date, entries]) => {
    const day = dayTime(view, plainDate(date));
    if (sum(entries, (one) => oracle.openMs(one)) !== oracle.openMs(day) || oracle.isClosed(day)) return false;
    const [{ people } = { people: null }] = soldDays(view, day);
    const whole = tallyOf(view, day);
    return (people !== null) !== isKnown(view, whole, [day]);
  });
}

function peopleOf(days: readonly SoldDay[]): number | null {
  const known = days.filter(({ people }) => people !== null);
  return known.length === 0 ? null : sum(known, ({ people }) => people ?? 0);
}

function conversionOf(days: readonly SoldDay[]): number | null {
  const people = peopleOf(days);
  const compared = days.filter((one) => one.people !== null).flatMap(({ entries }) => entries);
  return people ? sum(compared, ({ transactions }) => transactions) / people : null;
}

/** Null if there are no entries. Currencies are in alphabetical order. */
export function totalOf(days: readonly SoldDay[]): SalesTotal | null {
  const entries = days.flatMap((one) => one.entries);
  if (entries.length === 0) return null;
  const compared = days.filter(({ people }) => people !== null);
  const visitors = peopleOf(days);
  const currencies = [...new Set(entries.map(({ currency }) => currency))].toSorted();
  const isSingle = currencies.length === 1;
  const ofCompared = sum(
    compared.flatMap((one) => one.entries),
    ({ revenue }) => revenue,
  );
  return {
    transactions: sum(entries, ({ transactions }) => transactions),
    revenue: currencies.map((currency) => ({
      currency,
      amount:
        sum(
          entries.filter((one) => one.currency === currency),
          ({ revenue }) => revenue,
        ) / 1000,
      perVisitor: isSingle && visitors ? ofCompared / 1000 / visitors : null,
    })),
    staffHours: entries.some(({ staff }) => staff === null) ? null : sum(entries, ({ staff }) => staff ?? 0) / 100,
    visitors,
    conversion: conversionOf(days),
    days: days.length,
    comparedDays: compared.length,
  };
}

/** Of one bucket. */
export function figuresOf(days: readonly SoldDay[]): SalesFigures | null {
  const total = totalOf(days);
  if (!total) return null;
  const { days: _days, comparedDays: _comparedDays, ...figures } = total;
  return figures;
}

function dayTime({ oracle }: View, date: Temporal.PlainDate): Time {
  return { from: dayStart(date, oracle.place.zone), to: dayStart(date.add({ days: 1 }), oracle.place.zone) };
}

export const soldInRange = (view: View, { first, last }: Days): SoldDay[] =>
  soldDays(view, { from: dayTime(view, plainDate(first)).from, to: dayTime(view, plainDate(last)).to });

export const soldEarlier = (view: View, { first, last, weeks }: Days): SoldDay[] =>
  soldDays(view, earlierPart(view.oracle, first, last, weeks));

/** Days that are over, and known on both sides, without those that comparisons leave out. */
export function pairsOf(view: View, { first, last, weeks }: Days): Pair[] {
  const { oracle, open, isExcluded } = view;
  const pairs: Pair[] = [];
  for (let date = plainDate(first); date.until(plainDate(last)).days >= 0; date = date.add({ days: 1 })) {
    const earlier = date.subtract({ weeks });
    const times = [dayTime(view, date), dayTime(view, earlier)] as const;
    if (times[0].to > oracle.place.now) break;
    const isSkipped = open && oracle.place.hours !== null && times.some((time) => factsOf(oracle, time).isClosed);
    if (isSkipped || isExcluded(date.toString()) || isExcluded(earlier.toString())) continue;
    const [now] = soldDays(view, times[0]);
    const [before] = soldDays(view, times[1]);
    if (now && before && now.people !== null && before.people !== null) pairs.push({ now, before });
  }
  return pairs;
}

/** In percentage points. */
export function pointsOf(pairs: readonly Pair[]): number | null {
  const [now, before] = [conversionOf(pairs.map((one) => one.now)), conversionOf(pairs.map((one) => one.before))];
  return now === null || before === null ? null : (now - before) * 100;
}
