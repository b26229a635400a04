// Measurement: closes count intervals and health slices, monitors view and clock.
import { viewIn } from "../faults/world.ts";
import { computeTallies, type Tally, computeTally } from "../counting/tally.ts";
import { createPassages, addPassages } from "../counting/passages.ts";
import { addRecord, dropOverflow } from "../records/buffer.ts";
import { addTotals } from "../device/rest-interface.ts";
import { enqueue } from "../records/outbox.ts";
import { createEventRecord, createHealthRecord, createIntervalRecords, type RecordBody } from "../records/records.ts";
import { wallClock, type Sensor } from "../device/sensor-state.ts";
import { recordsPosition } from "../section/effects.ts";
import { reportEverySecond, publishLive } from "./live.ts";

const healthMs = 900_000;
const steadyMs = 60_000;

/** Stores a record, or holds it back while the time is unknown. Returns its number, 0 if held back. */
export function storeRecord(sensor: Sensor, body: RecordBody): number {
  if (sensor.clockState !== "ok") {
    sensor.heldBack.push(body);
    return 0;
  }
  const { buffer } = sensor.outbox;
  const q = addRecord(buffer, body);
  const dropped = dropOverflow(buffer);
  enqueue(sensor.outbox, q);
  if (dropped && body.t !== "event") {
    storeRecord(
      sensor,
      createEventRecord(body.s, "buffer-overflow", { detail: { fromQ: dropped[0], toQ: dropped[1] } }),
    );
  }
  return q;
}

/** Adds the time since the last call to uptime and connected time; call before either changes. */
export function accumulateUptime(sensor: Sensor, at: number): void {
  const elapsed = Math.max(0, at - sensor.markedAt);
  if (sensor.running) sensor.upMs += elapsed;
  if (sensor.running && sensor.phase === "up") sensor.mqttMs += elapsed;
  sensor.markedAt = Math.max(sensor.markedAt, at);
}

export function nextIntervalEnd(sensor: Sensor): number {
  const length = sensor.cfg.countIntervalS * 1000;
  return (Math.floor(sensor.intervalFrom / length) + 1) * length;
}

export function nextHealthEnd(sensor: Sensor): number {
  return sensor.healthFrom + healthMs;
}

function countedIn({ profile, world, passages }: Sensor, from: number, to: number): Tally {
  return addPassages(computeTally(profile, world, from, to), passages, world);
}

export function triggerPassages(sensor: Sensor, people: { in: number; out: number }): void {
  sensor.passages.push(...createPassages(sensor.env.clock.now(), people));
  sensor.aboard += people.in - people.out;
}

/** Returns the number of the count record, 0 if there was nothing to close. */
export function closeInterval(sensor: Sensor, at: number): number {
  const from = sensor.intervalFrom;
  if (at <= from) return 0;
  sensor.intervalFrom = at;
  const { world, profile, type } = sensor;
  const tally = countedIn(sensor, from, at);
  sensor.passages = sensor.passages.filter((passage) => passage.at >= at);
  sensor.env.truth.record(sensor.id, tally);
  if (sensor.rest) addTotals(sensor.rest, tally);
  const osd = world.plain ? 0 : viewIn(world, from, at).worst;
  const records = createIntervalRecords(type, profile, tally, { osd, upS: Math.round((at - from) / 1000) });
  const kept = records.filter(({ t }) => t !== "position" || recordsPosition(sensor));
  const numbers = kept.map((record) => storeRecord(sensor, record));
  if (sensor.flow) sensor.flow.state = "";
  sensor.lastCount = numbers[0] || sensor.lastCount;
  return numbers[0] ?? 0;
}

/** Adds to the ground truth the passages that the sensor missed while it was off. */
export function recordUncounted(sensor: Sensor, from: number, to: number): void {
  const length = sensor.cfg.countIntervalS * 1000;
  const { profile, world } = sensor;
  const record = (s: number, e: number, n: number): void => {
    if (n <= 0 || e <= s) return;
    for (const tally of computeTallies(profile, world, s, e - s, n)) {
      for (const line of tally.lines) line.seenIn = line.seenOut = 0;
      sensor.env.truth.record(sensor.id, tally);
    }
  };
  const firstEnd = Math.min(to, (Math.floor(from / length) + 1) * length);
  const lastStart = Math.max(firstEnd, Math.floor(to / length) * length);
  record(from, firstEnd, 1);
  record(firstEnd, firstEnd + length, (lastStart - firstEnd) / length);
  record(lastStart, to, 1);
}

/** Closes the health slice that ends at `at` or that spans a restart. */
export function closeHealth(sensor: Sensor, at: number): void {
  accumulateUptime(sensor, at);
  const [s, e] = [sensor.healthFrom, sensor.healthFrom + healthMs];
  sensor.healthFrom = Math.floor(at / healthMs) * healthMs;
  const facts = {
    upS: Math.min(900, Math.round(sensor.upMs / 1000)),
    mqttS: Math.min(900, Math.round(sensor.mqttMs / 1000)),
    reboots: sensor.reboots,
    osd: sensor.world.plain ? { "0": 900 } : viewIn(sensor.world, s, e).seconds,
    ...(sensor.clockState === "ok" ? {} : { clockOffMs: wallClock(sensor) - at }),
  };
  sensor.upMs = 0;
  sensor.mqttMs = 0;
  sensor.reboots = {};
  if (sensor.cfg.health) storeRecord(sensor, createHealthRecord(sensor.profile.seed, s, e, facts));
}

/** A changed view is recorded after it has lasted for a minute. */
export function watchView(sensor: Sensor, at: number): void {
  const now = sensor.world.view(at);
  if (now === sensor.view) sensor.viewDueAt = Infinity;
  else if (sensor.viewDueAt === Infinity) {
    sensor.viewSince = at;
    sensor.viewDueAt = at + steadyMs;
  } else if (at >= sensor.viewDueAt) {
    storeRecord(sensor, createEventRecord(sensor.viewSince, "osd", { from: sensor.view, to: now }));
    sensor.view = now;
    sensor.viewDueAt = Infinity;
  }
}

/**
 * Stores the held-back records. Their times are estimated if the clock had stopped, and bad if it had lost the time.
 */
export function restoreClock(sensor: Sensor, at: number): void {
  const was = sensor.clockState;
  const shown = wallClock(sensor);
  const lostBase = sensor.bootAt;
  sensor.clockState = "ok";
  if (was === "frozen")
    storeRecord(sensor, createEventRecord(at, "clock-step", { detail: { fromMs: shown, toMs: at } }));
  const records = sensor.heldBack;
  sensor.heldBack = [];
  for (const record of records) {
    if (was === "lost") sinceBoot(record, lostBase);
    record.ck = was === "lost" ? "bad" : "est";
    storeRecord(sensor, record);
  }
}

/** Converts the times to those of a clock that started in 1970 when the sensor booted. */
function sinceBoot(record: RecordBody, bootAt: number): void {
  record.s = Math.max(0, record.s - bootAt);
  if (record.e !== undefined) record.e = Math.max(0, record.e - bootAt);
  if (record.t === "event" && record.at !== undefined) record.at = Math.max(0, record.at - bootAt);
}

/** Starts or stops live reports of people since the last record. Reports at most once a second, and only changes. */
export function updateFlowReporting(sensor: Sensor): void {
  const isWanted = sensor.cfg.liveFlow && sensor.running && !sensor.stopped;
  sensor.flow = reportEverySecond(sensor, sensor.flow, {
    isWanted,
    initial: "",
    publish: (last) => publishFlow(sensor, last, sensor.env.clock.now()),
  });
}

function publishFlow(sensor: Sensor, last: string, at: number): string {
  const since = sensor.intervalFrom;
  if (at <= since) return last;
  const { lines } = countedIn(sensor, since, at);
  const seen = lines.map((line) => ({ id: line.id, in: line.seenIn, out: line.seenOut }));
  const text = JSON.stringify(seen);
  if (text === last) return last;
  const isNews = last !== "" || seen.some((line) => line.in > 0 || line.out > 0);
  if (isNews) publishLive(sensor, { t: "flow", at, since, lines: seen });
  return text;
}
