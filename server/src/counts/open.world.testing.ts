// Plants random shops in a database and compares every counts call with the oracle (docs/rules/counts.md).
import type { Counts, LocationCounts } from "@psp/contract/counts/counts.api.ts";
import { defaultBucketSize, parseDay } from "@psp/contract/counts/count-range.ts";
import type { AggregateRow } from "@psp/contract/datapoint/datapoint.api.ts";
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { HolidayName } from "@psp/contract/opening/opening-calendar.ts";
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import type { Person, Site } from "../datapoint/site.testing.ts";
import {
  addTallies,
  type By,
  buckets,
  changeOf,
  compare,
  createOracle,
  dayStart,
  earlierPart,
  judge,
  type Oracle,
  plainDate,
  type Stay,
  type Sum,
} from "./open.oracle.testing.ts";
import type { Period } from "./open.shops.testing.ts";

export type Shop = {
  id: string;
  zone: string;
  owner: Person;
  /** Null: those of the owner. */
  hours: OpeningHours | null;
  stays: Stay[];
};
export type World = {
  site: Site;
  holidayNames: (country: string, region: string | null) => HolidayName;
  /** Sees all shops. */
  reader: Person;
  period: Period;
  shops: Shop[];
  defaults: Map<string, OpeningHours | null>;
  /** Records that are stored, of all sensors. */
  records: { sensor: number; record: CountRecord }[];
  /** Of the present state. Must be cleared when it changes. */
  oracles: Map<Shop, Oracle>;
};
export type Query = { by: By; open: boolean; comparison: "previous" | "year" };

const hoursOf = ({ defaults }: World, shop: Shop) => shop.hours ?? defaults.get(shop.owner.id) ?? null;

export function oracleOf(world: World, shop: Shop): Oracle {
  const oracle = world.oracles.get(shop) ?? makeOracle(world, shop);
  world.oracles.set(shop, oracle);
  return oracle;
}

function makeOracle(world: World, shop: Shop): Oracle {
  const hours = hoursOf(world, shop);
  const sensors = new Set(shop.stays.map(({ sensor }) => sensor));
  const name = hours?.holidays ? world.holidayNames(hours.holidays.country, hours.holidays.region) : () => null;
  return createOracle({
    zone: shop.zone,
    hours,
    isHoliday: (date) => name(parseDay(date) ?? 0) !== null,
    stays: shop.stays,
    records: world.records.filter(({ sensor }) => sensors.has(sensor)),
    now: world.site.ctx.clock.now(),
  });
}

export async function setOwnHours({ site }: World, shop: Shop, hours: OpeningHours | null): Promise<void> {
  await site.setHours(shop.id, hours);
  shop.hours = hours;
}

export async function setDefault(world: World, owner: Person, hours: OpeningHours | null): Promise<void> {
  const opening_hours = hours && JSON.stringify(hours);
  await world.site.ctx.db.updateTable("account").set({ opening_hours }).where("id", "=", owner.id).execute();
  world.defaults.set(owner.id, hours);
}

export async function handOver({ site }: World, shop: Shop, owner: Person): Promise<void> {
  const change = { owner_id: owner.id, owner_path: owner.path };
  await site.ctx.db.updateTable("location").set(change).where("id", "=", shop.id).execute();
  shop.owner = owner;
}

async function get<T>({ site, reader }: World, path: string): Promise<T> {
  const answer = await site.call(reader, path);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body as T;
}

/** Completeness may differ by rounding, except where it says that nothing or everything is known. */
function isEqual(got: unknown, right: unknown): boolean {
  if (typeof got === "number" && typeof right === "number" && got % 1 !== 0 && right % 1 !== 0)
    return Math.abs(got - right) < 1e-6;
  return got === right || JSON.stringify(got) === JSON.stringify(right);
}

type Report = (what: string, got: unknown, right: unknown) => void;

function reportSum(report: Report, what: string, got: Sum, right: Sum): void {
  for (const part of ["in", "out", "completeness"] as const)
    if (!isEqual(got[part], right[part])) report(`${what} ${part}`, got, right);
}

function createReport(differences: string[], prefix: string): Report {
  return (what, got, right) => {
    if (!isEqual(got, right))
      differences.push(`${prefix}: ${what}: got ${JSON.stringify(got)}, right ${JSON.stringify(right)}`);
  };
}

const shiftWeeks = ({ first, last }: Period, comparison: Query["comparison"]) =>
  comparison === "year" ? 52 : Math.ceil((plainDate(first).until(plainDate(last)).days + 1) / 7);

const textOf = ({ first, last }: Period) => `range=${first},${last}`;
const wholeOf = ({ first, last }: Period, zone: string) => ({
  from: dayStart(plainDate(first), zone),
  to: dayStart(plainDate(last).add({ days: 1 }), zone),
});
const namesOf = (shop: Shop, { by, open, comparison }: Query) =>
  `${shop.id} ${shop.zone} by=${by} open=${open} ${comparison}`;

export async function checkPage(world: World, shop: Shop, query: Query, differences: string[]): Promise<void> {
  const { period } = world;
  const { by, open, comparison } = query;
  const oracle = oracleOf(world, shop);
  const report = createReport(differences, namesOf(shop, query));
  const path = `/api/v2/counts?filter=meas:${shop.id}&${textOf(period)}&by=${by}&compare=${comparison}&open=${open}`;
  const page = await get<Counts>(world, path);
  const times = buckets(oracle, by, period.first, period.last);
  const asTime = (ms: number) => new Date(ms).toISOString();
  report(
    "buckets",
    page.rows.map((row) => [Date.parse(row.startUTC), Date.parse(row.endUTC)].map(asTime)),
    times.map(({ from, to }) => [from, to].map(asTime)),
  );
  for (const [index, time] of times.entries()) {
    const row = page.rows[index];
    if (!row) continue;
    const what = `row ${asTime(time.from)}`;
    report(`${what} closed`, row.closed, oracle.isClosed(time));
    reportSum(report, what, row, judgeBucket(oracle, time, open));
  }
  const whole = wholeOf(period, shop.zone);
  reportSum(report, "total", page.total, judgeBucket(oracle, whole, open));
  report("outside", page.outside, oracle.outside(whole));
  report("hasOpeningHours", page.hasOpeningHours, oracle.place.hours !== null);
  const compared = compare(oracle, period.first, period.last, shiftWeeks(period, comparison), open);
  report("skippedDays", page.earlier.skippedDays, compared.skipped);
  const weeks = shiftWeeks(period, comparison);
  const before = earlierPart(oracle, period.first, period.last, weeks);
  reportSum(report, "earlier", page.earlier.total, judgeBucket(oracle, before, open));
  report("change", page.change, compared.change);
}

/** A closed bucket has no number, although a record that starts in it may have open time after it. */
function judgeBucket(oracle: Oracle, time: { from: number; to: number }, open: boolean): Sum {
  const sum = judge(oracle.tally(time, open), open);
  return open && oracle.isClosed(time) ? { in: null, out: null, completeness: null } : sum;
}

export async function checkAggregate(
  world: World,
  shop: Shop,
  { by, open }: Pick<Query, "by" | "open">,
  differences: string[],
): Promise<void> {
  const { first, last } = world.period;
  const oracle = oracleOf(world, shop);
  const report = createReport(differences, `aggregate of ${shop.id} ${shop.zone} by=${by} open=${open}`);
  const [from, to] = Object.values(wholeOf(world.period, shop.zone)).map((ms) =>
    encodeURIComponent(new Date(ms).toISOString()),
  );
  const path = `/data/v2/aggregate/json?filter=meas:${shop.id}&acc=${by}&from=${from}&to=${to}&open=${open}`;
  const rows = await get<AggregateRow[]>(world, path);
  // Pages have all buckets of the range, files end with the current one.
  const times = buckets(oracle, by, first, last).filter((time) => time.from <= oracle.place.now);
  report("number of rows", rows.length, times.length);
  for (const [index, time] of times.entries()) {
    const row = rows[index];
    if (!row) continue;
    const right = judgeBucket(oracle, time, open);
    const what = `row ${new Date(time.from).toISOString()}`;
    report(`${what} start`, Date.parse(row.startUTC), time.from);
    reportSum(
      report,
      what,
      { ...row.data, completeness: row.completeness },
      // A lens that was covered all the time may still have counted people. Then completeness is not 0 either.
      { ...right, completeness: right.in === null ? 0 : Math.max(1e-6, right.completeness ?? 0) },
    );
  }
}

/** Also the sum of all locations, which only their owner sees alone. */
export async function checkList(
  world: World,
  { open, comparison }: Pick<Query, "open" | "comparison">,
  differences: string[],
): Promise<void> {
  const { period, shops } = world;
  const ids = shops.map(({ id }) => `ids=${id}`).join("&");
  const path = `/api/v2/counts/locations?${ids}&limit=500&${textOf(period)}&compare=${comparison}&open=${open}`;
  const list = await get<{ objects: LocationCounts[]; outside: unknown }>(world, path);
  const days = { first: parseDay(period.first) ?? 0, last: parseDay(period.last) ?? 0 };
  const outsides: { in: number; out: number }[] = [];
  for (const shop of shops) {
    const oracle = oracleOf(world, shop);
    const report = createReport(differences, `list: ${shop.id} ${shop.zone} open=${open} ${comparison}`);
    const row = list.objects.find(({ _id }) => _id === shop.id);
    if (!row) {
      report("row", null, shop.id);
      continue;
    }
    const whole = wholeOf(period, shop.zone);
    const right = judgeBucket(oracle, whole, open);
    reportSum(report, "sum", row, right);
    report("closed", row.closed, oracle.isClosed({ ...whole, to: Math.min(whole.to, oracle.place.now) }));
    report("has rank", row.rank !== null, right.in !== null && (right.completeness ?? 0) >= 0.8);
    const times = buckets(oracle, defaultBucketSize(days), period.first, period.last);
    report(
      "curve",
      row.curve,
      times.map((time) => judgeBucket(oracle, time, open).in),
    );
    const compared = compare(oracle, period.first, period.last, shiftWeeks(period, comparison), open);
    report("skippedDays", row.skippedDays, compared.skipped);
    report("change", row.change, comparedChange(judge(compared.current, open), judge(compared.earlier, open), right));
    const outside = oracle.outside(whole);
    if (outside) outsides.push(outside);
  }
  const outside = outsides.reduce((a, b) => ({ in: a.in + b.in, out: a.out + b.out }), { in: 0, out: 0 });
  createReport(differences, `list open=${open}`)("outside", list.outside, outsides.length === 0 ? null : outside);
}

/** Gaps that differ by more than 5 percentage points would look like a change. */
function comparedChange(now: Sum, before: Sum, shown: Sum): { in: number | null; out: number | null } {
  const differs = Math.abs((now.completeness ?? 0) - (before.completeness ?? 0)) > 0.05 + 1e-9;
  const isIncomplete = (shown.completeness ?? 0) < 0.8;
  return differs || isIncomplete ? { in: null, out: null } : changeOf(now, before);
}

export async function checkTotal(world: World, who: Person, open: boolean, differences: string[]): Promise<void> {
  const shops = world.shops.filter(({ owner }) => owner.id === who.id);
  const path = `/api/v2/counts/total?${textOf(world.period)}&open=${open}`;
  const answer = await world.site.call(who, path);
  const total = answer.body as Sum & { locations: number; incomplete: number };
  const report = createReport(differences, `total of ${shops.length} shops open=${open}`);
  const tallies = shops.map((shop) => oracleOf(world, shop).tally(wholeOf(world.period, shop.zone), open));
  const sums = tallies.map((tally) => judge(tally, open));
  const incomplete = sums.filter(({ completeness }) => completeness !== null && completeness < 0.8).length;
  reportSum(report, "sum", total, judge(addTallies(tallies), open));
  report("locations", [total.locations, total.incomplete], [shops.length, incomplete]);
}
