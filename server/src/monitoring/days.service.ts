// Loads daily uptime and daily totals of counts for sensors that are due for evaluation.
import type { Tx } from "../db/database.ts";
import { type Zone, zoneOf } from "@psp/contract/kit/zone.ts";
import { listCheckedDays, type CountedDays, minKnownShare } from "./checks/plausibility.rules.ts";
import { countNeededDays, type UptimeFacts } from "./checks/uptime.rules.ts";
import type { CheckedConfig, SensorFacts } from "./evaluate.rules.ts";
import * as store from "./facts.store.ts";
import { findLocationHours, openMsBetween } from "../opening/opening.service.ts";
import type { EvaluatedSensor } from "./monitoring.store.ts";

export type WatchedSensor = {
  subject: EvaluatedSensor;
  config: CheckedConfig;
  /** Earliest start of the sensor's changed facts; null if anything may have changed, Infinity if only time passed. */
  fromMs: number | null;
};

type Days = {
  facts: SensorFacts["days"];
  /** The local day of the last delivery, of any kind of data. */
  deliveredDay: number | null;
};

type Judging = WatchedSensor & {
  zone: Zone;
  today: number;
  known: UptimeFacts["known"];
  deliveredDay: number | null;
};

export async function loadDays(tx: Tx, watched: readonly WatchedSensor[], nowMs: number): Promise<Map<number, Days>> {
  const deliveries = await store.findDeliveries(
    tx,
    watched.map(({ subject: { num, visibleFromMs } }) => ({ num, visibleFromMs })),
  );
  const days = new Map<number, Days>();
  const judging: Judging[] = [];
  for (const one of watched) {
    const zone = zoneOf(one.subject.zone);
    const today = zone.dayAt(nowMs);
    const known = knownDays(zone, deliveries.get(one.subject.num), nowMs);
    days.set(one.subject.num, { facts: null, deliveredDay: known.deliveredDay });
    if (isNew(one, zone, today, known.deliveredDay)) judging.push({ ...one, zone, today, ...known });
  }
  if (judging.length === 0) return days;
  const uptime = await loadUptime(tx, judging);
  const counted = await loadCountedDays(tx, judging);
  for (const {
    subject: { num },
    zone,
    known,
  } of judging) {
    const facts = {
      zone,
      uptime: { known, seconds: uptime.get(num) ?? new Map() },
      counted: counted.get(num) ?? { totals: new Map(), isClosed: () => false },
    };
    days.set(num, { facts, deliveredDay: days.get(num)?.deliveredDay ?? null });
  }
  return days;
}

/**
 * Days are known if they are complete and before the day of the last delivery. The day of the first slice counts only if the slice
 * starts at midnight.
 */
function knownDays(zone: Zone, delivered: store.Deliveries | undefined, nowMs: number) {
  if (delivered === undefined) return { known: null, deliveredDay: null };
  const deliveredDay = zone.dayAt(Math.min(nowMs, delivered.lastAtMs));
  const firstDay = zone.dayAt(delivered.firstMs);
  const first = zone.dayStart(firstDay) === delivered.firstMs ? firstDay : firstDay + 1;
  const last = deliveredDay - 1;
  return { known: first > last ? null : { first, last }, deliveredDay };
}

function isNew(
  { subject: { judged }, fromMs }: WatchedSensor,
  zone: Zone,
  today: number,
  deliveredDay: number | null,
): boolean {
  if (fromMs === null || judged === null || judged.zone !== zone.name) return true;
  return judged.day !== today || judged.deliveredDay !== deliveredDay || fromMs < zone.dayStart(today);
}

/** Returns the uptime in seconds per sensor and day. Stored sums are recomputed only after late data. */
async function loadUptime(tx: Tx, judging: readonly Judging[]): Promise<Map<number, Map<number, number>>> {
  const wanted = judging.filter(({ config, known }) => config.uptime.enabled && known !== null);
  if (wanted.length === 0) return new Map();
  await store.deleteUptime(
    tx,
    wanted.flatMap(({ subject: { num, judged }, fromMs, zone }) => {
      if (fromMs === null || judged?.zone !== zone.name) return [{ num, day: -1_000_000 }];
      return fromMs === Infinity ? [] : [{ num, day: zone.dayAt(fromMs) }];
    }),
  );
  const nums = wanted.map(({ subject: { num } }) => num);
  const summed = await store.findUptime(tx, nums);
  const missing = wanted.flatMap(({ subject: { num }, config, known, zone }) => {
    if (known === null) return [];
    const from = Math.max(known.first, known.last - countNeededDays(config.uptime) + 1);
    const days = Array.from({ length: known.last - from + 1 }, (_, i) => from + i);
    return days
      .filter((day) => summed.get(num)?.has(day) !== true)
      .map((day) => ({ num, day, fromMs: zone.dayStart(day), toMs: zone.dayStart(day + 1) }));
  });
  if (missing.length === 0) return summed;
  await store.sumUptime(tx, missing);
  return store.findUptime(tx, nums);
}

async function loadCountedDays(tx: Tx, judging: readonly Judging[]): Promise<Map<number, CountedDays>> {
  const enabled = judging.filter(({ config }) => config.dataplaus.enabled);
  const found = await findLocationHours(
    tx,
    enabled.map(({ subject, zone }) => ({ ...subject, locationId: subject.location?.id ?? "", zone })),
  );
  const wanted = enabled.map((one, index) => {
    const hours = found[index] ?? null;
    return { ...one, hours, isClosed: (day: number) => hours?.time.isClosedDay(day) === true };
  });
  const sums = await store.findDaySums(
    tx,
    wanted.map(({ subject: { num, location }, config, today, hours, isClosed }) => {
      const days = listCheckedDays(config.dataplaus, today - 1, isClosed);
      return { num, locationId: location?.id ?? null, days, isOpenOnly: hours !== null };
    }),
  );
  return new Map(
    wanted.map(({ subject: { num, visibleFromMs }, zone, hours, isClosed }) => {
      // Earlier counts belong to a former owner.
      const first = visibleFromMs > 0 ? zone.dayAt(visibleFromMs) : -Infinity;
      // Sums for outdated opening hours are unknown until they are recomputed.
      const current = hours?.isFresh === false ? [] : (sums.get(num) ?? []);
      const known = current.filter(({ day, knownMs }) => {
        const expectedMs = openMsBetween(hours, zone.dayStart(day), zone.dayStart(day + 1));
        return day >= first && !isClosed(day) && knownMs >= minKnownShare * expectedMs;
      });
      return [num, { totals: new Map(known.map(({ day, total }) => [day, total])), isClosed }];
    }),
  );
}
