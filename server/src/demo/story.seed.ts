// The story of the demo: which locations have a past, where a week of it is missing, and which sensors went silent.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import type { FleetMember } from "./demo.seed.ts";
import { type History, saveHistory } from "./history.store.ts";

/** A sensor of the demo, and where it is. */
export type Placed = { member: FleetMember; location: number; isPersonas: boolean; isPlaced: boolean };

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** What the simulated fleet fills in by itself on its first start (fleet.service.ts). */
export const fleetHistoryDays = 7;
const historyMonths = 13;
const locations = 20;
/** Their sensors are few enough that nothing of the story would be left to look at in a smaller demo. */
export const fewestSensors = 120;
/** Days since the last contact of sensors that no one plays, by their place in the fleet; all of one customer. */
const offline = new Map([
  [105, 2],
  [109, 5],
  [117, 9],
]);
/** Mounted, but never switched on. */
const neverOn = 113;
/** This location was without power for a week: what happened there is unknown. */
const blindLocation = 1;
const blindWeeksAgo = 5;

/** Where the past that is made up ends: the first hour that the fleet fills in when it starts now, or later. */
export function historyEnd(nowMs: number): number {
  return Math.ceil((nowMs - fleetHistoryDays * dayMs) / hourMs) * hourMs;
}

/** Plants the story and the plan of the past; returns the sensors that are played. */
export async function seedStory(ctx: Context, tx: Tx, all: readonly Placed[]): Promise<FleetMember[]> {
  const isLarge = all.length >= fewestSensors;
  if (isLarge) await seedOffline(ctx, tx, all);
  if (ctx.config.demo.history) await planHistory(ctx, tx, all, isLarge);
  const isSilent = (index: number) => isLarge && (index === neverOn || offline.has(index));
  return all.filter((_, index) => !isSilent(index)).map(({ member }) => member);
}

async function seedOffline(ctx: Context, tx: Tx, all: readonly Placed[]): Promise<void> {
  for (const [index, days] of offline) {
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

/** On a quarter of an hour, as the counts end. */
function lastContactOf(ctx: Context, days: number): number {
  const quarterMs = hourMs / 4;
  return Math.floor((ctx.clock.now() - days * dayMs) / quarterMs) * quarterMs;
}

/** Notes what is to be made in the background, and the sensors that it is about in a file beside the fleet's. */
async function planHistory(ctx: Context, tx: Tx, all: readonly Placed[], isLarge: boolean): Promise<void> {
  const fleetFrom = historyEnd(ctx.clock.now());
  const chosen = chooseLocations(all);
  const sensors = all.flatMap(({ member, location, isPlaced }, index) => {
    if (!isPlaced || !chosen.has(location) || (isLarge && index === neverOn)) return [];
    const days = isLarge ? offline.get(index) : undefined;
    // Those that fell silent within the days of the fleet counted up to then, and no one else fills that in.
    return [{ ...member, location, until: days === undefined ? fleetFrom : lastContactOf(ctx, days) }];
  });
  if (sensors.length === 0) return;
  const toMs = Math.max(fleetFrom, ...sensors.map(({ until }) => until));
  const past: FleetMember[] = sensors.map(({ location, ...one }) =>
    location === blindLocation ? { ...one, faults: blindWeek(one.zone, toMs) } : one,
  );
  await writeFile(pastFile(ctx), JSON.stringify({ sensors: past }), { mode: 0o600, flush: true });
  const history: History = { fromMs: monthsBefore(fleetFrom, historyMonths), toMs, done: 0, sensors: past.length };
  await saveHistory(tx, history);
}

export const pastFile = (ctx: Context): string => join(ctx.config.dataDir, "demo-past.json");

/** Those of the personas first, then stations, which are the busiest. */
function chooseLocations(all: readonly Placed[]): Set<number> {
  const rank = ({ isPersonas, member }: Placed) => (isPersonas ? 0 : member.kind === "station" ? 1 : 2);
  const ranked = all.toSorted((a, b) => rank(a) - rank(b) || a.location - b.location);
  return new Set([...new Set(ranked.map(({ location }) => location))].slice(0, locations));
}

/** A week from Monday to Sunday as the clocks of the place show it, as a fault without power before the end of the past. */
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
