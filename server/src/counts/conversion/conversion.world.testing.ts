// Compares the sales in every counts call with the oracle of conversion (docs/rules/sales.md#conversion).
import type { Counts, GroupCounts, LocationCounts } from "@psp/contract/counts/counts.api.ts";
import type { SalesSort } from "@psp/contract/counts/counts.query.ts";
import type { SalesTotal } from "@psp/contract/counts/sales-figures.ts";
import { buckets, type By, plainDate } from "../open.oracle.testing.ts";
import { oracleOf, type Shop, type World } from "../open.world.testing.ts";
import {
  type Days,
  figuresOf,
  isUndecided,
  pairsOf,
  pointsOf,
  soldDays,
  soldEarlier,
  soldHour,
  soldInRange,
  totalOf,
  type View,
  visibleEntries,
} from "./conversion.oracle.testing.ts";
import { applies, type Event, type Labels, type Ledger, plainTag, type Reader } from "./conversion.shops.testing.ts";

export type SalesWorld = World & {
  ledgers: Map<Shop, Ledger>;
  labels: Map<Shop, Labels>;
  events: Event[];
  readers: Reader[];
};
export type Question = { reader: Reader; open: boolean; comparison: "previous" | "year" };
type Figures = { sales: SalesTotal | null; conversionChange: number | null };
type Page = { objects: LocationCounts[]; groups?: GroupCounts[]; sum: Partial<Figures> };

const noLabels: Labels = { tags: [], country: null };
const labelsOf = (world: SalesWorld, shop: Shop) => world.labels.get(shop) ?? noLabels;

function viewOf(world: SalesWorld, shop: Shop, { reader, open }: Question): View {
  const entries = visibleEntries(world.ledgers.get(shop)?.entries ?? [], shop.owner.id, reader.edits);
  const events = world.events.filter((event) => applies(event, shop, labelsOf(world, shop)));
  return {
    oracle: oracleOf(world, shop),
    entries,
    open,
    isExcluded: (date) => events.some(({ first, last }) => date >= first && date <= last),
  };
}

function daysOf({ period: { first, last } }: World, { comparison }: Question): Days {
  const days = plainDate(first).until(plainDate(last)).days + 1;
  return { first, last, weeks: comparison === "year" ? 52 : Math.ceil(days / 7) };
}

async function get<T>({ site }: World, { person }: Reader, path: string): Promise<T> {
  const answer = await site.call(person, path);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body as T;
}

/** How far answers are rounded. */
const decimals: Record<string, number> = { conversion: 4, perVisitor: 2, conversionChange: 1, amount: 3 };

/** In a comparable form: rounded as answers are, and with currencies in order. */
function normalize(value: unknown, key = ""): unknown {
  if (typeof value === "number") return Number(value.toFixed(decimals[key] ?? 8));
  if (Array.isArray(value)) {
    const list: unknown[] = value.map((one) => normalize(one));
    return key === "revenue" ? list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : list;
  }
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, one]) => [name, normalize(one, name)]),
    );
  return value;
}

/** Whether the texts of two normalized values differ by more than the rounding of a half. */
function differs(a: unknown, b: unknown): boolean {
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b) > (a % 1 === 0 && b % 1 === 0 ? 0 : 1e-9);
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return a !== b;
  const [left, right] = [Object.entries(a), Object.entries(b) as [string, unknown][]];
  return (
    left.length !== right.length || left.some(([key, one], n) => right[n]?.[0] !== key || differs(one, right[n][1]))
  );
}

function createReport(differences: string[], prefix: string) {
  return (what: string, got: unknown, right: unknown) => {
    const [a, b] = [normalize(got), normalize(right)];
    if (differs(a, b)) differences.push(`${prefix} ${what}: got ${JSON.stringify(a)}, right ${JSON.stringify(b)}`);
  };
}

export async function checkSalesPage(
  world: SalesWorld,
  shop: Shop,
  { by, ...question }: Question & { by: By },
  differences: string[],
): Promise<void> {
  const { reader, open, comparison } = question;
  const { first, last } = world.period;
  const query = `range=${first},${last}&by=${by}&compare=${comparison}&open=${open}`;
  const { sales } = await get<Counts>(world, reader, `/api/v2/counts?filter=meas:${shop.id}&${query}`);
  const report = createReport(differences, `page of ${reader.name}, ${shop.id} ${shop.zone} ${query}`);
  const view = viewOf(world, shop, question);
  const days = daysOf(world, question);
  const right = {
    total: totalOf(soldInRange(view, days)),
    earlier: totalOf(soldEarlier(view, days)),
    points: pointsOf(pairsOf(view, days)),
  };
  if (view.entries.length === 0) report("sales of nothing", sales, null);
  const times = buckets(view.oracle, by, first, last);
  const isSure = !isUndecided(view);
  const soldIn = by === "hour" ? soldHour : soldDays;
  if (isSure || by === "hour")
    for (const [index, time] of times.entries())
      report(`row ${new Date(time.from).toISOString()}`, sales?.rows[index] ?? null, figuresOf(soldIn(view, time)));
  if (!isSure) return;
  report("total", sales?.total ?? null, right.total);
  report("earlier", sales?.earlier ?? null, right.earlier);
  report("change", { conversionChange: sales?.conversionChange ?? null }, { conversionChange: right.points });
}

/** Sales of locations together. */
function figuresTogether(world: SalesWorld, shops: readonly Shop[], question: Question): Figures {
  const days = daysOf(world, question);
  const views = shops.map((shop) => viewOf(world, shop, question));
  return {
    sales: totalOf(views.flatMap((view) => soldInRange(view, days))),
    conversionChange: pointsOf(views.flatMap((view) => pairsOf(view, days))),
  };
}

const keysOf = {
  tag: (world: SalesWorld, shop: Shop) => {
    const { tags } = labelsOf(world, shop);
    return tags.length === 0 ? [null] : [...new Set(tags.map(plainTag))];
  },
  owner: (_world: SalesWorld, shop: Shop) => [shop.owner.id],
  country: (world: SalesWorld, shop: Shop) => [labelsOf(world, shop).country?.toLowerCase() ?? null],
};
export const groupings = Object.keys(keysOf) as (keyof typeof keysOf)[];

const listPath = ({ shops, period: { first, last } }: World, { open, comparison }: Question) =>
  `/api/v2/counts/locations?${shops.map(({ id }) => `ids=${id}`).join("&")}&limit=500` +
  `&range=${first},${last}&compare=${comparison}&open=${open}`;

export async function checkSalesList(
  world: SalesWorld,
  { sorts, ...question }: Question & { sorts: readonly SalesSort[] },
  differences: string[],
): Promise<void> {
  const { reader } = question;
  const path = listPath(world, question);
  const { objects } = await get<Page>(world, reader, path);
  const visible = world.shops.filter(({ owner }) => reader.views(owner.id));
  const report = createReport(differences, `list of ${reader.name}, ${path.slice(path.indexOf("&range"))}`);
  report("rows", objects.map(({ _id }) => _id).toSorted(), visible.map(({ id }) => id).toSorted());
  const right = new Map(visible.map((shop) => [shop.id, figuresTogether(world, [shop], question)]));
  const isSure = (shop: Shop) => !isUndecided(viewOf(world, shop, question));
  const sure = new Set(visible.filter(isSure).map(({ id }) => id));
  for (const { _id, sales, conversionChange } of objects)
    if (sure.has(_id)) report(`row ${_id}`, { sales, conversionChange }, right.get(_id));
  for (const sort of sorts)
    for (const sign of ["", "-"] as const) {
      const sorted = (await get<Page>(world, reader, `${path}&sortBy=${sign}${sort}`)).objects;
      report(`rows by ${sign}${sort}`, sorted.map(({ _id }) => _id).toSorted(), visible.map(({ id }) => id).toSorted());
      report(`order by ${sign}${sort}`, isSorted(sorted, sort, sign === "-"), true);
    }
}

export async function checkSalesGroups(
  world: SalesWorld,
  { groupBy, sorts, ...question }: Question & { groupBy: keyof typeof keysOf; sorts: readonly SalesSort[] },
  differences: string[],
): Promise<void> {
  const { reader } = question;
  const path = `${listPath(world, question)}&groupBy=${groupBy}`;
  const { groups = [], sum } = await get<Page>(world, reader, path);
  const report = createReport(differences, `groups of ${reader.name}, ${path.slice(path.indexOf("&range"))}`);
  const visible = world.shops.filter(({ owner }) => reader.views(owner.id));
  const all = figuresTogether(world, visible, question);
  const areSure = (shops: readonly Shop[]) => !shops.some((shop) => isUndecided(viewOf(world, shop, question)));
  if (areSure(visible)) report("sum", { sales: sum.sales, conversionChange: sum.conversionChange }, all);
  const keys = new Set(visible.flatMap((shop) => keysOf[groupBy](world, shop)));
  report("keys", groups.map(({ key }) => String(key)).toSorted(), [...keys].map(String).toSorted());
  for (const { key, sales, conversionChange } of groups) {
    const members = visible.filter((shop) => keysOf[groupBy](world, shop).includes(key));
    if (areSure(members))
      report(`group ${key}`, { sales, conversionChange }, figuresTogether(world, members, question));
  }
  for (const sort of sorts)
    for (const sign of ["", "-"] as const) {
      const sorted = (await get<Page>(world, reader, `${path}&sortBy=${sign}${sort}`)).groups ?? [];
      report(`groups by ${sign}${sort}`, sorted.length, groups.length);
      report(`order by ${sign}${sort}`, isSorted(sorted, sort, sign === "-"), true);
    }
}

type Row = { currency: string; value: number };

/** Null if there is nothing to sort by. */
function valueOf({ sales, conversionChange }: Figures, sort: SalesSort): Row | null {
  const [revenue] = sales?.revenue ?? [];
  const value = {
    conversion: sales?.conversion,
    conversionChange,
    revenuePerVisitor: revenue?.perVisitor,
    transactions: sales?.transactions,
  }[sort];
  if (value === undefined || value === null) return null;
  return { value, currency: sort === "revenuePerVisitor" ? (revenue?.currency ?? "") : "" };
}

/** Rows without a value are last. Currencies are in alphabetical order, in both directions. */
function isSorted(rows: readonly Figures[], sort: SalesSort, isDescending: boolean): boolean {
  const values = rows.map((row) => valueOf(row, sort));
  const known = values.filter((value) => value !== null);
  if (values.slice(0, known.length).includes(null)) return false;
  const sign = isDescending ? -1 : 1;
  return known.every((one, index) => {
    const before = known[index - 1];
    if (!before) return true;
    if (one.currency === before.currency) return sign * (one.value - before.value) >= 0;
    return before.currency < one.currency;
  });
}
