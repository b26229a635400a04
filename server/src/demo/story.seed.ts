// Chooses which demo locations have past counts, where a week is missing, and which sensors are offline.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import type { FleetMember } from "./demo.seed.ts";
import { type DemoHistory, saveHistory } from "./history.store.ts";

export type PlacedSensor = { member: FleetMember; location: number; isPersonas: boolean; isPlaced: boolean };

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The simulated fleet back-fills this many days on its first start (fleet.service.ts). */
export const fleetHistoryDays = 7;
const historyMonths = 14;
const locations = 20;
/** Smaller demos have no offline sensors, because too few others would be left. */
export const minSensorsForStory = 120;
/** Days since the last contact, by the sensor's index in the fleet. All these sensors belong to one customer. */
const offlineSensors = new Map([
  [105, 2],
  [109, 5],
  [117, 9],
]);
/** Index of a sensor that was installed but never connected. */
const neverOn = 113;
/** This location had no power for a week, so its counts are unknown. */
const blindLocation = 1;
const blindWeeksAgo = 5;

/** End of the generated past: where the fleet's back-fill begins if it starts now, rounded up to the hour. */
export function computeHistoryEnd(nowMs: number): number {
  return Math.ceil((nowMs - fleetHistoryDays * dayMs) / hourMs) * hourMs;
}

/** Seeds the story and plans the past counts. Returns the sensors that the fleet simulates. */
export async function seedStory(ctx: Context, tx: Tx, all: readonly PlacedSensor[]): Promise<FleetMember[]> {
  const isLarge = all.length >= minSensorsForStory;
  if (isLarge) await seedOffline(ctx, tx, all);
  if (ctx.config.demo.history) await planHistory(ctx, tx, all, isLarge);
  const isSilent = (index: number) => isLarge && (index === neverOn || offlineSensors.has(index));
  return all.filter((_, index) => !isSilent(index)).map(({ member }) => member);
}

async function seedOffline(ctx: Context, tx: Tx, all: readonly PlacedSensor[]): Promise<void> {
  for (const [index, days] of offlineSensors) {
    const lastContact = new Date(lastContactOf(ctx, days));
    await tx
      .updateTable("sensor")
      .set({
        con_at: new Date(lastContact.getTime() - 40 * dayMs),
        discon_at: lastContact,
        last_contact_at: lastContact,
        is_connected: false,
      })
      .where("id", "=", all[index]?.member.id ?? "")
      .execute();
  }
}

/** Rounded down to a quarter hour, because counts end at quarter hours. */
function lastContactOf(ctx: Context, days: number): number {
  const quarterMs = hourMs / 4;
  return Math.floor((ctx.clock.now() - days * dayMs) / quarterMs) * quarterMs;
}

/** Stores the period for the background generation, and writes the credentials of its sensors to a file. */
async function planHistory(ctx: Context, tx: Tx, all: readonly PlacedSensor[], isLarge: boolean): Promise<void> {
  const fleetFrom = computeHistoryEnd(ctx.clock.now());
  const chosen = chooseLocations(all);
  const sensors = all.flatMap(({ member, location, isPlaced }, index) => {
    if (!isPlaced || !chosen.has(location) || (isLarge && index === neverOn)) return [];
    const days = isLarge ? offlineSensors.get(index) : undefined;
    // The fleet does not simulate offline sensors, so their past is generated up to their last contact.
    return [{ ...member, location, until: days === undefined ? fleetFrom : lastContactOf(ctx, days) }];
  });
  if (sensors.length === 0) return;
  const toMs = Math.max(fleetFrom, ...sensors.map(({ until }) => until));
  const past: FleetMember[] = sensors.map(({ location, ...one }) =>
    location === blindLocation ? { ...one, faults: blindWeek(one.zone, toMs) } : one,
  );
  await writeFile(historyCredentialsPath(ctx), JSON.stringify({ sensors: past }), { mode: 0o600, flush: true });
  const history: DemoHistory = { fromMs: monthsBefore(fleetFrom, historyMonths), toMs, done: 0, sensors: past.length };
  await saveHistory(tx, history);
}

export const historyCredentialsPath = (ctx: Context): string => join(ctx.config.dataDir, "demo-past.json");

/** Prefers the personas' locations, then stations, which are the busiest. */
function chooseLocations(all: readonly PlacedSensor[]): Set<number> {
  const rank = ({ isPersonas, member }: PlacedSensor) => (isPersonas ? 0 : member.kind === "station" ? 1 : 2);
  const ranked = all.toSorted((a, b) => rank(a) - rank(b) || a.location - b.location);
  return new Set([...new Set(ranked.map(({ location }) => location))].slice(0, locations));
}

/** A fault for the simulator: no power from Monday to Sunday in local time, some weeks before the end of the past (`toMs`). */
function blindWeek(zone: string, toMs: number): string {
  const end = Temporal.Instant.fromEpochMilliseconds(toMs).toZonedDateTimeISO(zone).startOfDay();
  const from = end.subtract({ days: end.dayOfWeek - 1, weeks: blindWeeksAgo });
  const to = from.add({ weeks: 1 });
  const minutes = (ms: number) => Math.round(ms / 60_000);
  return `silent@${minutes(from.epochMilliseconds - toMs)}+${minutes(to.epochMilliseconds - from.epochMilliseconds)}`;
}

function monthsBefore(ms: number, months: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, date.getUTCDate(), date.getUTCHours());
}
