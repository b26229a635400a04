// Checks groups of compared locations with plain arithmetic: sums, completeness, ranks, and changes among comparable locations.
import type { CountSum, GroupCounts } from "@psp/contract/counts/counts.api.ts";
import type { CountRecord } from "@psp/contract/device/device-messages.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countRecord, createSite, type Person, type Site } from "../../datapoint/site.testing.ts";
import { type Chance, createChance, pick } from "../../testing/chance.ts";

let site: Site;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.stop());

const hour = 3_600_000;
const zones = ["Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Pacific/Auckland", null];
/** The clocks of Berlin change in the range, so that it is an hour shorter than the one before. */
const [first, end] = ["2026-03-27", "2026-03-31"];
const range = `range=${first},2026-03-30`;
/** The first spelling is the one that PostgreSQL sorts first. */
const tags = [["naive", "NAIVE", "naïve"], ["City"], ["café", "Cafe"], ["=1+1"]];
const countries = ["Germany", "Canada", null];

type Answer = {
  objects: unknown[];
  groups: GroupCounts[];
  total?: number;
  sum: CountSum & Pick<GroupCounts, "locations" | "comparable" | "change" | "sales" | "conversionChange">;
};
type Planted = {
  zone: string | null;
  tags: string[];
  country: string | null;
  owner: Person;
  sensors: number;
  records: CountRecord[];
};

async function compare(query: string, who: Person = site.root): Promise<Answer> {
  const answer = await site.call(who, `/api/v2/counts/locations?${range}&${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Answer;
}

async function plant(howMany: number, chance: Chance): Promise<Planted[]> {
  const start = Date.UTC(2026, 2, 17);
  const owners = [site.root, await site.person(null), await site.person(null)];
  const planted: Planted[] = [];
  for (let n = 0; n < howMany; n += 1) {
    const [zone, owner, country] = [pick(zones, chance), pick(owners, chance), pick(countries, chance)];
    const own = tags.flatMap((spellings) => (chance.below(3) === 0 ? [pick(spellings, chance)] : []));
    // Two spellings of the same tag are one group, in which the location counts once.
    if (chance.below(4) === 0) own.push("NAIVE", "naive");
    const id = await site.location(zone, owner);
    const shown = { tags: [...new Set(own)], country };
    await site.ctx.db.updateTable("location").set(shown).where("id", "=", id).execute();
    const sensors = chance.below(3);
    const records: CountRecord[] = [];
    for (let s = 0; s < sensors; s += 1) {
      const sensor = await site.sensor({ locationId: id, since: start - 48 * hour });
      const known = pick([100, 100, 97, 82, 60, 0], chance);
      const some: CountRecord[] = [];
      for (let at = start; at < start + 16 * 24 * hour; at += hour)
        if (chance.below(100) < known) some.push(countRecord(at, 3600, { door: [chance.below(20), chance.below(20)] }));
      await site.store(sensor, some, { via: "fill" });
      records.push(...some);
    }
    planted.push({ zone, owner, ...shown, sensors, records });
  }
  return planted;
}

type Sums = { in: number; out: number; known: number; expected: number };

function sumIn({ zone, sensors, records }: Planted, weeksBack: number): Sums {
  const at = (date: string) =>
    Temporal.PlainDate.from(date)
      .subtract({ weeks: weeksBack })
      .toZonedDateTime(zone ?? "UTC").epochMilliseconds;
  const [from, to] = [at(first), at(end)];
  const own = records.filter(({ s }) => s >= from && s < to);
  const people = (side: "in" | "out") => own.reduce((sum, record) => sum + (record.lines[0]?.[side] ?? 0), 0);
  return { in: people("in"), out: people("out"), known: own.length * hour, expected: sensors * (to - from) };
}

const add = (a: Sums, b: Sums): Sums => ({
  in: a.in + b.in,
  out: a.out + b.out,
  known: a.known + b.known,
  expected: a.expected + b.expected,
});
const nothing: Sums = { in: 0, out: 0, known: 0, expected: 0 };
const share = ({ known, expected }: Sums) => (expected === 0 ? null : known / expected);

function isComparable(now: Sums, before: Sums): boolean {
  const [a, b] = [share(now), share(before)];
  return a !== null && b !== null && a >= 0.8 && b >= 0.8 && Math.abs(a - b) <= 0.05;
}

function expectGroup(
  group: Omit<GroupCounts, "key" | "name" | "rank" | "curve" | "sales" | "conversionChange">,
  members: readonly Planted[],
) {
  const pairs = members.map((one) => [sumIn(one, 0), sumIn(one, 1)] as const);
  const now = pairs.reduce((sum, [one]) => add(sum, one), nothing);
  expect([group.in, group.out]).toEqual(now.known === 0 ? [null, null] : [now.in, now.out]);
  if (share(now) === null) expect(group.completeness).toBeNull();
  else expect(group.completeness).toBeCloseTo(share(now) ?? -1, 5);
  const like = pairs.filter(([one, before]) => isComparable(one, before));
  expect([group.locations, group.comparable]).toEqual([members.length, like.length]);
  for (const side of ["in", "out"] as const) {
    const [after, before] = [0, 1].map((n) => like.reduce((sum, pair) => sum + (pair[n]?.[side] ?? 0), 0));
    expect(group.change[side]).toBe(before ? Math.round(((after ?? 0) / before - 1) * 100) + 0 : null);
  }
}

const plain = (tag: string) => tag.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
const keysOf: Record<"tag" | "owner" | "country", (one: Planted) => (string | null)[]> = {
  tag: (one) => (one.tags.length === 0 ? [null] : [...new Set(one.tags.map(plain))]),
  owner: ({ owner }) => [owner.id],
  country: ({ country }) => [country?.toLowerCase() ?? null],
};

test("groups have the sums of their locations, each once", { timeout: 900_000 }, async () => {
  const planted = await plant(rounds(20, 1_000), createChance(seedOf(23)));
  for (const by of ["tag", "owner", "country"] as const) {
    const members = new Map<string | null, Planted[]>();
    for (const one of planted) for (const key of keysOf[by](one)) members.set(key, [...(members.get(key) ?? []), one]);
    const { objects, groups, total, sum } = await compare(`groupBy=${by}&includeTotals=true`);
    expect([objects, total]).toEqual([[], members.size]);
    expect(new Set(groups.map(({ key }) => key))).toEqual(new Set(members.keys()));
    for (const group of groups) expectGroup(group, members.get(group.key) ?? []);
    expectGroup(sum, planted);
    const ranked = groups.filter(({ completeness }) => (completeness ?? 0) >= 0.8);
    expect(groups.slice(0, ranked.length)).toEqual(ranked);
    expect(ranked.map(({ in: people }) => people)).toEqual(
      ranked.map(({ in: people }) => people).toSorted((a, b) => (b ?? 0) - (a ?? 0)),
    );
    for (const { rank, in: people } of ranked)
      expect(rank).toBe(1 + ranked.filter((other) => (other.in ?? 0) > (people ?? 0)).length);
    for (const { rank } of groups.slice(ranked.length)) expect(rank).toBeNull();
    for (const { curve, in: people } of groups)
      expect(curve.reduce((all: number, one) => all + (one ?? 0), 0)).toBe(people ?? 0);
    const names = (await compare(`groupBy=${by}&sortBy=-name`)).groups.map(({ name }) => name);
    expect(names.indexOf(null)).toBe(names.includes(null) ? names.length - 1 : -1);
    const page = await compare(`groupBy=${by}&skip=1&limit=1&includeTotals=true`);
    expect([page.groups.map(({ key }) => key), page.total]).toEqual([[groups[1]?.key], members.size]);
  }
});

test("the sum over compared locations contains each of them once", async () => {
  const { sum } = await compare("limit=1");
  const grouped = await compare("groupBy=tag&limit=1");
  const {
    comparable: _comparable,
    change: _change,
    sales: _sales,
    conversionChange: _points,
    ...figures
  } = grouped.sum;
  expect(sum).toEqual(figures);
  expect(await compare("groupBy=none&limit=1")).toEqual(await compare("limit=1"));
});

test("groups contain only locations that match and are visible", async () => {
  const permissions: Permissions = { ownable: { measurement: { canViewObject: { me: true } } } };
  const reader = await site.person(permissions);
  expect(await compare("groupBy=tag", reader)).toMatchObject({ groups: [], sum: { locations: 0, in: null } });
  const id = await site.location("UTC", reader);
  await site.ctx.db
    .updateTable("location")
    .set({ tags: ["Own"] })
    .where("id", "=", id)
    .execute();
  expect((await compare("groupBy=tag", reader)).groups).toEqual([
    {
      key: "own",
      name: "Own",
      in: null,
      out: null,
      completeness: null,
      locations: 1,
      comparable: 0,
      change: { in: null, out: null },
      rank: null,
      curve: [null, null, null, null],
      sales: null,
      conversionChange: null,
    },
  ]);
  const { groups } = await compare(`groupBy=tag&ids=${id}`);
  expect(groups.map(({ name }) => name)).toEqual(["Own"]);
});
