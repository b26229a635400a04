// Compares monitoring with an oracle that evaluates everything at every instant, in twelve time zones, with late data, both clock
// changes, and changing configurations. The long form (`npm run prove`) has 1,000 sensors and a year.
import type { MonitoringConfig } from "@psp/contract/monitoring/monitoring-config.ts";
import type { DeviceRecord } from "@psp/contract/device/device-messages.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { toPgColumn, toPgArray } from "../db/arrays.ts";
import { createChance, pick } from "../testing/chance.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type World } from "../testing/world.ts";
import { expectedStatuses, issueKinds, type RawFacts, type ExpectedStatus } from "./monitoring.oracle.testing.ts";
import { evaluateDueSensors } from "./monitoring.service.ts";
import { configWith, storeAll, storeDaySums } from "../testing/scenes/monitoring-scene.ts";

const sensorCount = rounds(12, 250);
const days = rounds(32, 365);
const hour = 3_600_000;
const day = 24 * hour;
const slot = 6 * hour;
// The short form includes the clock change in Europe on 28 March; the long form also includes the one on 31 October. America changes
// on other days.
const begin = Date.UTC(2027, 2, 1);

const zones = [
  "Europe/Berlin",
  "America/New_York",
  "America/Los_Angeles",
  "Asia/Tokyo",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Auckland",
  "America/Sao_Paulo",
  "Africa/Cairo",
  "Pacific/Chatham",
  "Atlantic/Azores",
];
const chance = createChance(seedOf(20_271_124));
const happens = (share: number) => chance.below(1_000_000) < share * 1_000_000;
const between = (low: number, high: number) => low + chance.below(high - low + 1);

let world: World;
let clock: ReturnType<typeof createStillClock>;
beforeAll(async () => {
  clock = createStillClock();
  world = await createWorld({ clock, env: { PARTS: "api" } });
});
afterAll(() => world.stop());

function randomConfig(): MonitoringConfig {
  const service = <S extends object>(values: S) => ({ enabled: happens(0.9), ...values });
  const pair = (least: number, most: number) => {
    const warningThreshold = between(least, most);
    return { warningThreshold, errorThreshold: warningThreshold + between(1, 3) };
  };
  const warningRepeatingTime = between(1, 6);
  return configWith({
    connection: service(pair(1, 3)),
    dataplaus: service({ ...pair(1, 2), filterWindowInWeeks: between(12, 20) }),
    uptime: service({
      warningAverageTime: between(8, 20),
      warningRepeatingTime,
      errorAverageTime: between(3, 12),
      errorRepeatingTime: warningRepeatingTime + between(1, 4),
    }),
    osd: service(pair(0, 2)),
    reboot: service(pair(1, 4)),
    watchdog: service(pair(0, 3)),
  });
}

type Unit = RawFacts & {
  id: string;
  num: number;
  place: number;
  own: MonitoringConfig | null;
  /** Seconds of uptime per six hours while the uptime is bad; null while it is good. */
  badUptime: number | null;
  held: { slots: number[]; days: string[] };
  base: number;
  statuses: Record<string, ExpectedStatus>;
};
type Place = { id: string; zone: string; config: MonitoringConfig | null };

async function createPlaces(): Promise<Place[]> {
  const owner = world.root.id;
  const places: Place[] = [];
  for (let i = 0; i < zones.length * 3; i += 1) {
    const zone = zones[i % zones.length] ?? "UTC";
    const { id } = await world.call(world.root, "POST", "/api/measurement", { body: { name: `Place ${i}`, owner } });
    const config = happens(0.9) ? randomConfig() : null;
    await world.ctx.db
      .updateTable("location")
      .set({ timezone: zone, monitoring_config: config && JSON.stringify(config) })
      .where("id", "=", id)
      .execute();
    places.push({ id, zone, config });
  }
  return places;
}

async function createUnits(places: readonly Place[]): Promise<Unit[]> {
  const { db } = world.ctx;
  const units: Unit[] = [];
  const root = await db
    .selectFrom("account")
    .select(["id", "path"])
    .where("parent_id", "is", null)
    .executeTakeFirstOrThrow();
  for (let i = 0; i < sensorCount; i += 1) {
    const id = toMac(0x0200_0001_0000 + i);
    const place = chance.below(places.length);
    const own = happens(0.2) ? randomConfig() : null;
    const { num } = await db
      .insertInto("sensor")
      .values({
        id,
        owner_id: root.id,
        owner_path: root.path,
        type: "APS",
        location_id: places[place]?.id ?? null,
        license_monitoring: true,
        monitoring_config: own && JSON.stringify(own),
        is_connected: true,
      })
      .returning("num")
      .executeTakeFirstOrThrow();
    units.push({
      id,
      num,
      place,
      own,
      zone: places[place]?.zone ?? "UTC",
      offlineSince: null,
      views: [],
      slices: new Map(),
      days: new Map(),
      lastArrival: null,
      badUptime: null,
      held: { slots: [], days: [] },
      base: happens(0.25) ? between(0, 12) : between(50, 500),
      statuses: {},
    });
  }
  await sql`insert into device_epoch (sensor_num, epoch, touched_at) select num, 'e', to_timestamp(0) from sensor`.execute(
    db,
  );
  return units;
}

type News = {
  records: { unit: Unit; record: DeviceRecord }[];
  sums: { unit: Unit; date: string; total: number; knownMs: number }[];
  delivered: Set<Unit>;
  presence: Unit[];
};

const localDates = new Map<string, Map<number, Temporal.PlainDate>>();
function dateAt(zone: string, ms: number): Temporal.PlainDate {
  return localDates
    .getOrInsertComputed(zone, () => new Map())
    .getOrInsertComputed(ms, () => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate());
}

/** Simulates one unit from the last step to `now`; adds what arrives at the server to `news`. */
function live(unit: Unit, before: number, now: number, news: News): void {
  if (unit.offlineSince === null ? happens(0.004) : happens(0.08)) {
    unit.offlineSince = unit.offlineSince === null ? now : null;
    news.presence.push(unit);
  }
  if (happens(0.01)) unit.badUptime = unit.badUptime === null ? between(600, 14_000) : null;
  for (let s = Math.floor(before / slot) * slot; s + slot <= now; s += slot)
    if (s + slot > before) unit.held.slots.push(s);
  const yesterday = String(dateAt(unit.zone, now).subtract({ days: 1 }));
  if (!unit.days.has(yesterday) && !unit.held.days.includes(yesterday)) unit.held.days.push(yesterday);
  if (happens(0.01)) {
    const code = pick([0, 0, 1, 3, 5], chance);
    unit.views.push({ at: now, code });
    news.records.push({
      unit,
      record: { t: "event", kind: "osd", q: 1, s: now, at: now, to: code, from: 0, ck: "ok" },
    });
    arrive(unit, now, news);
  }
  if (unit.offlineSince !== null) return;
  for (const s of unit.slices.keys()) if (s < now - 60 * day) unit.slices.delete(s);
  const { slots, days: dates } = unit.held;
  unit.held = { slots: [], days: [] };
  for (const s of slots) {
    if (happens(0.05)) unit.held.slots.push(s);
    else if (!happens(0.01)) deliverSlice(unit, s, now, news);
  }
  for (const date of dates) {
    if (happens(0.1)) unit.held.days.push(date);
    else deliverDay(unit, date, now, news);
  }
  const known = [...unit.days.keys()].at(-1 - chance.below(20));
  if (known !== undefined && happens(0.01)) deliverDay(unit, known, now, news);
}

function arrive(unit: Unit, now: number, news: News): void {
  unit.lastArrival = now;
  news.delivered.add(unit);
}

function deliverSlice(unit: Unit, s: number, now: number, news: News): void {
  const seconds = unit.badUptime ?? slot / 1000;
  const burst = happens(0.02) ? 4 : 1;
  const counts = { power: happens(0.03) ? burst : 0, user: happens(0.1) ? 3 : 0 };
  const resets = happens(0.02) ? burst : 0;
  unit.slices.set(s, { seconds, reboots: counts.power, resets });
  news.records.push({
    unit,
    record: { t: "health", q: 1, s, e: s + slot, upS: seconds, reboots: counts, wd: resets, ck: "ok" },
  });
  arrive(unit, now, news);
}

function deliverDay(unit: Unit, date: string, now: number, news: News): void {
  const weekday = Temporal.PlainDate.from(date).dayOfWeek;
  const usual = unit.base * (weekday > 5 ? 2 : 1) + between(-Math.min(5, unit.base), 5);
  const total = happens(0.05) ? 0 : happens(0.02) ? usual * 4 : usual;
  const zone = zoneOf(unit.zone);
  const number = Date.parse(date) / day;
  const length = zone.dayStart(number + 1) - zone.dayStart(number);
  const share = happens(0.05) ? 0.79 : 1;
  const knownMs = Math.floor(length * share);
  const former = unit.days.get(date);
  unit.days.set(date, { total, share });
  const formerKnown = former === undefined ? 0 : Math.floor(length * former.share);
  // Sums of the same day that are delivered in the same step are one row, as in the counts store.
  const same = news.sums.find((sum) => sum.unit === unit && sum.date === date);
  const sum = same ?? { unit, date, total: 0, knownMs: 0 };
  sum.total += total - (former?.total ?? 0);
  sum.knownMs += knownMs - formerKnown;
  if (!same) news.sums.push(sum);
  arrive(unit, now, news);
}

async function store(
  places: readonly Place[],
  { records, sums, delivered, presence }: News,
  now: number,
): Promise<void> {
  const { db } = world.ctx;
  await db.transaction().execute(async (tx) => {
    const incoming = records.map(({ unit, record }) => ({
      sensor: { id: unit.id, num: unit.num },
      record,
      via: "live" as const,
    }));
    await storeAll(tx, now, incoming);
    const marks = new Map<number, number>();
    for (const { unit, date } of sums) {
      const from = zoneOf(unit.zone).dayStart(Date.parse(date) / day);
      marks.set(unit.num, Math.min(from, marks.get(unit.num) ?? Infinity));
    }
    await storeDaySums(
      tx,
      sums.map(({ unit, date, total, knownMs }) => ({
        sensorNum: unit.num,
        day: Date.parse(date) / day,
        locationId: places[unit.place]?.id ?? null,
        in: total,
        out: 0,
        knownMs,
        open: null,
      })),
      marks,
    );
    await sql`update device_epoch set touched_at = ${new Date(now)} where sensor_num = any(${toPgArray([...delivered].map(({ num }) => num))}::int[])`.execute(
      tx,
    );
    await sql`update sensor set is_connected = u.up, last_contact_at = case when u.up then last_contact_at else ${new Date(now)} end
      from unnest(${toPgColumn(presence, (u) => u.num)}::int[], ${toPgColumn(presence, (u) => u.offlineSince === null)}::boolean[]) u (num, up)
      where sensor.num = u.num`.execute(tx);
  });
}

async function reconfigure(places: Place[], units: Unit[]): Promise<void> {
  const { db } = world.ctx;
  if (happens(0.05)) {
    const place = pick(places, chance);
    place.config = happens(0.2) ? null : randomConfig();
    const monitoring_config = place.config && JSON.stringify(place.config);
    await db.updateTable("location").set({ monitoring_config }).where("id", "=", place.id).execute();
  }
  if (happens(0.05)) {
    const unit = pick(units, chance);
    unit.own = happens(0.5) ? null : randomConfig();
    const monitoring_config = unit.own && JSON.stringify(unit.own);
    await db.updateTable("sensor").set({ monitoring_config }).where("id", "=", unit.id).execute();
  }
}

/** Log entries of this step, each as `sensor kind status`. */
async function entriesAt(now: number): Promise<string[]> {
  const { rows } = await sql<{ num: number; kind: string; status: string }>`
    select sensor_num as num, issue_type as kind, issue_status as status from monitoring_status where start_ms = ${now}`.execute(
    world.ctx.db,
  );
  return rows.map(({ num, kind, status }) => `${num} ${kind} ${status}`).toSorted();
}

test(
  `MO-02 ${sensorCount} sensors, ${days} days, all checks: no change differs from the oracle`,
  { timeout: rounds(120_000, 3_600_000) },
  async () => {
    clock.moveTo(begin);
    world.root.token = await world.token(world.root);
    const places = await createPlaces();
    const units = await createUnits(places);
    let changes = 0;
    let before = begin;
    for (let step = 1; before < begin + days * day; step += 1) {
      // Steps four or five times a day at odd times, with an occasional long pause of the engine.
      const now = before + (happens(0.01) ? 30 * hour : between(4 * 60, 7 * 60) * 60_000);
      clock.moveTo(now);
      const news: News = { records: [], sums: [], delivered: new Set(), presence: [] };
      for (const unit of units) live(unit, before, now, news);
      await store(places, news, now);
      await reconfigure(places, units);
      await evaluateDueSensors(world.ctx);
      const expected: string[] = [];
      for (const unit of units) {
        const found = expectedStatuses(unit, unit.own ?? places[unit.place]?.config ?? null, now);
        for (const kind of issueKinds) {
          if ((unit.statuses[kind] ?? "Ok") === found[kind]) continue;
          unit.statuses[kind] = found[kind];
          expected.push(`${unit.num} ${kind} ${found[kind]}`);
        }
      }
      changes += expected.length;
      expect(await entriesAt(now), `step ${step}, ${new Date(now).toISOString()}`).toEqual(expected.toSorted());
      before = now;
    }
    const { rows } = await sql<{ kind: string; n: number }>`
    select issue_type as kind, count(*) as n from monitoring_status group by 1`.execute(world.ctx.db);
    expect(rows.map(({ kind }) => kind).toSorted()).toEqual([...issueKinds].toSorted());
    expect(changes).toBeGreaterThan(sensorCount * 3);
  },
);
