// Loads the facts of one location's count and updates them incrementally.
import { findOccupancyApp } from "@psp/contract/occupancy/occupancy-app.ts";
import { occupancyAppTypes } from "@psp/contract/occupancy/occupancy-defaults.ts";
import {
  findCountsSince,
  findCountsWithin,
  type IntervalCount,
  toIntervals,
  isCountedAt,
  type SensorAssignments,
  findSensorAssignments,
} from "../../count/location-counts.service.ts";
import type { Context } from "../../context.ts";
import type { Reader } from "../../db/database.ts";
import { canCountInside } from "../../location/applications/location.applications.rules.ts";
import { isAnyHostAlive } from "../../tunnel/tunnel.store.ts";
import { type Correction, type AppSettingsFrom, type Outage, replayLedger, type Ledger } from "./ledger.rules.ts";
import * as store from "./ledger.store.ts";
import { findResetsAround } from "./reset.rules.ts";
import { findObstructedPeriods, type ViewReport } from "./sight.rules.ts";

/** `isNow`: `atMs` is now, so all data received so far is used. */
export type LedgerTime = { atMs: number; isNow: boolean };

export type Board = {
  locationId: string;
  moment: LedgerTime;
  sinceMs: number;
  nextResetMs: number;
  limits: readonly AppSettingsFrom[];
  /** Null means every APS sensor. */
  chosen: ReadonlySet<string> | null;
  where: SensorAssignments;
  sensors: ReadonlyMap<number, store.SensorRow>;
  numbers: ReadonlyMap<string, number>;
  /** Chosen sensors at the location at that instant. */
  present: ReadonlySet<number>;
  intervals: Map<string, IntervalCount>;
  views: readonly ViewReport[];
  offline: readonly Outage[];
  corrections: readonly Correction[];
};

/** Records are accepted up to this far in the future. */
const aheadMs = 3_600_000;
/** Records from this long before the reset only show which doors report and how often; they are not counted. */
const intervalBeforeMs = 3_600_000;

export async function loadBoard(reader: Reader, locationId: string, moment: LedgerTime): Promise<Board> {
  const { atMs, isNow } = moment;
  const settings = await store.findSettings(reader, locationId);
  const apps = settings.map((row) => ({ ...row, app: appOf(row) }));
  const current = apps.findLast(({ fromMs }) => fromMs <= atMs) ?? apps[0];
  const { resetTime, sensors: chosenIds } = (current?.app ?? appOf({ settings: {} })).settings;
  const { lastMs: sinceMs, nextMs } = findResetsAround(current?.timezone ?? "UTC", resetTime.timeOfDay, atMs);
  const where = await findSensorAssignments(reader, locationId);
  const sensors = await store.findSensors(reader, locationId, where.keys());
  const toMs = isNow ? atMs + aheadMs : atMs;
  const intervals = await findCountsSince(reader, locationId, where, sinceMs - intervalBeforeMs, toMs);
  const board: Board = {
    locationId,
    moment,
    sinceMs,
    nextResetMs: nextMs,
    where,
    limits: apps.map(({ fromMs, runs, app }) => ({ fromMs, runs, max: app.settings.maxObjects ?? 0 })),
    chosen: chosenIds && new Set(chosenIds),
    ...byNumber(sensors),
    present: new Set(),
    intervals: new Map(intervals.map((one) => [keyOf(one), one])),
    views: [],
    offline: [],
    corrections: [],
  };
  board.present = new Set(sensors.filter((one) => isChosen(board, one) && isHere(board, one)).map(({ num }) => num));
  await refreshSensorStates(reader, board);
  await refreshCorrections(reader, board);
  return board;
}

function byNumber(rows: readonly store.SensorRow[]): Pick<Board, "sensors" | "numbers"> {
  return {
    sensors: new Map(rows.map((one) => [one.num, one])),
    numbers: new Map(rows.map((one) => [one.id, one.num])),
  };
}

const keyOf = ({ num, startMs }: Pick<IntervalCount, "num" | "startMs">) => `${num}/${startMs}`;

function appOf({ settings }: Pick<store.SettingRow, "settings">) {
  const app = findOccupancyApp([{ type: occupancyAppTypes[0], settings }]);
  if (app === null) throw new Error("An app of its own type was not found");
  return app;
}

function isChosen({ chosen }: Pick<Board, "chosen">, { id, type }: store.SensorRow): boolean {
  return canCountInside(type) && (chosen === null || chosen.has(id));
}

function isHere({ locationId, moment, where }: Board, { num, locationId: now }: store.SensorRow): boolean {
  if (moment.isNow) return now === locationId;
  const { atMs } = moment;
  return (where.get(num) ?? []).some((one) => one.locationId === locationId && one.fromMs <= atMs && one.toMs > atMs);
}

export async function refreshSensorStates(reader: Reader, board: Board): Promise<void> {
  const { present, sinceMs, moment, locationId } = board;
  const [sensors, outages, views] = await Promise.all([
    store.findSensors(reader, locationId, board.sensors.keys()),
    store.findOutages(reader, present, sinceMs),
    store.findViewReports(reader, present, sinceMs),
  ]);
  Object.assign(board, byNumber(sensors));
  board.views = views.filter(({ atMs }) => moment.isNow || atMs <= moment.atMs);
  const open = new Set(outages.filter(({ toMs }) => toMs === null).map(({ num }) => num));
  // Absent sensors whose outage is not stored yet.
  const unnoted = moment.isNow
    ? sensors.filter((one) => present.has(one.num) && !one.isThere && !open.has(one.num))
    : [];
  board.offline = [
    ...outages.map(({ num, fromMs, toMs }) => ({ num, fromMs, toMs: toMs ?? Infinity, kind: "offline" as const })),
    ...unnoted.map(({ num }) => ({ num, fromMs: moment.atMs, toMs: Infinity, kind: "offline" as const })),
  ];
}

export async function refreshCorrections(reader: Reader, board: Board): Promise<void> {
  const rows = await store.findCorrections(reader, board.locationId, board.sinceMs);
  board.corrections = rows.map(({ byId, byName, ...row }) => ({ ...row, by: { id: byId, name: byName } }));
}

/** A time range in which new counts of a sensor were stored. */
export type StoredSpan = { num: number; fromMs: number; toMs: number };

export async function patchCounts(reader: Reader, boards: ReadonlyMap<Board, readonly StoredSpan[]>): Promise<void> {
  const found = await findCountsWithin(reader, [...boards.values()].flat());
  for (const [board, spans] of boards) {
    for (const { num, fromMs, toMs } of spans) {
      for (const [key, one] of board.intervals)
        if (one.num === num && one.startMs >= fromMs && one.startMs < toMs) board.intervals.delete(key);
      for (const one of toIntervals(num, found.get(num) ?? [], board.locationId, board.where))
        if (one.endMs > board.sinceMs - intervalBeforeMs) board.intervals.set(keyOf(one), one);
    }
  }
}

export function hasMembershipChanged(board: Board, row: store.SensorRow): boolean {
  return board.present.has(row.num) !== (isChosen(board, row) && row.locationId === board.locationId);
}

export function hasPresenceChanged(board: Board, row: store.SensorRow): boolean {
  return board.present.has(row.num) && board.sensors.get(row.num)?.isThere !== row.isThere;
}

/** Keeps the flows whose records will belong to the location. */
export function filterFlows<F extends { num: number; sinceMs: number }>(board: Board, flows: Iterable<F>): F[] {
  return [...flows].filter(({ num, sinceMs }) => isCountedAt(board.where, num, sinceMs, board.locationId));
}

/** Seconds without a heartbeat after which a gateway counts as stopped. Gateways send one every few seconds. */
const silentS = 30;

/** Whether any gateway, in this or another process, receives sensor messages. */
export async function isAnyGatewayListening({ config, db }: Pick<Context, "config" | "db">): Promise<boolean> {
  return config.parts.has("gateway") || isAnyHostAlive(db, silentS);
}

export function toLedger(board: Board, atMs = board.moment.atMs): Ledger {
  const { sinceMs, moment, present, corrections, limits, offline } = board;
  const intervals = [...board.intervals.values()];
  const counting = [...board.sensors.values()].filter((one) => isChosen(board, one)).map(({ num }) => num);
  const today = intervals.filter(({ endMs }) => endMs > sinceMs);
  const [views, own] = [Map.groupBy(board.views, ({ num }) => num), Map.groupBy(today, ({ num }) => num)];
  const obstructed = [...present].flatMap((num) =>
    findObstructedPeriods(num, views.get(num) ?? [], own.get(num) ?? []),
  );
  return replayLedger({
    sinceMs,
    atMs,
    isNow: moment.isNow,
    counting,
    present,
    intervals,
    corrections,
    limits,
    outages: [...offline, ...obstructed],
  });
}
