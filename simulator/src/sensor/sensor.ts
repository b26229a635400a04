// Lifecycle of a virtual sensor: power, restarts and scheduling.
import { randomBytes } from "node:crypto";
import { createEventRecord } from "../records/records.ts";
import { addHistory, computeHistoryTallies } from "../records/history.ts";
import {
  restoreClock,
  closeHealth,
  closeInterval,
  updateFlowReporting,
  accumulateUptime,
  nextHealthEnd,
  nextIntervalEnd,
  recordUncounted,
  storeRecord,
  watchView,
} from "./meter.ts";
import { resumeJob } from "../firmware/install.ts";
import { resumeRestUpdate } from "../firmware/rest-update.ts";
import { withLines } from "../section/effects.ts";
import { applyPendingValues } from "../section/store.ts";
import { resumeTrial, stopTrial } from "../section/trial.ts";
import { sendLog } from "./announce.ts";
import { applySections } from "./configured.ts";
import { updateLevelReporting } from "./levels.ts";
import { goOffline, goOnline, disconnectWithDeath } from "./session.ts";
import {
  createState,
  wallClock,
  type RestartReason,
  type Sensor,
  type Setup,
  type Environment,
} from "../device/sensor-state.ts";

const healthMs = 900_000;

/** Creates a sensor. `start` generates history, boots, connects, and counts until `stopSensor`. */
export function createSensor(setup: Setup, env: Environment): { sensor: Sensor; start(): void } {
  const profile = withLines(setup.profile, setup.saved?.sections);
  const sensor: Sensor = createState({ ...setup, profile }, env, {
    restart: (reason, downMs) =>
      new Promise((resolve) => {
        sensor.bootWaits.push(resolve);
        goDown(sensor, reason, downMs);
      }),
    resetNetwork: () => {
      goOffline(sensor, false);
      goOnline(sensor);
    },
    leave: () => goOffline(sensor),
    configured: () => applySections(sensor),
    wake: () => schedule(sensor, sensor.env.clock.now()),
  });
  sensor.outbox.copies = () => sensor.world.copies(env.clock.now());
  sensor.outbox.stamp = () => wallClock(sensor);
  return { sensor, start: () => startSensor(sensor, setup) };
}

function startSensor(sensor: Sensor, setup: Setup): void {
  const { world } = sensor;
  sensor.configured();
  resumeTrial(sensor);
  const from = fillPast(sensor, setup, sensor.env.clock.now());
  sensor.intervalFrom = sensor.markedAt = sensor.handledTo = from;
  sensor.healthFrom = Math.floor(from / healthMs) * healthMs;
  sensor.clockState = world.clock(from);
  sensor.clockStoppedAt = from;
  sensor.view = setup.historyMs > 0 ? world.view(from - 1) : 0;
  if (world.powered(from)) boot(sensor, from);
  live(sensor);
  resumeJob(sensor);
  resumeRestUpdate(sensor);
}

/**
 * Generates the history on the first start, and the records since the last run on later starts. Returns the time at
 * which live counting starts (ms UTC).
 */
function fillPast(sensor: Sensor, setup: Setup, now: number): number {
  const { past } = sensor.world;
  const { saved, historyMs } = setup;
  if (past && !saved) addPast(sensor, past.from, past.to);
  if (historyMs <= 0) return now;
  const from = saved ? Math.max(saved.countedTo, now - historyMs) : now - historyMs;
  const aligned = Math.ceil(from / 3_600_000) * 3_600_000;
  if (aligned >= now) return now;
  if (saved && saved.countedTo > now - historyMs) {
    // The device kept counting while the simulator was stopped; close the open interval first.
    sensor.intervalFrom = saved.countedTo;
    for (let end = nextIntervalEnd(sensor); end <= Math.min(aligned, now); end = nextIntervalEnd(sensor))
      closeInterval(sensor, end);
  }
  return Math.max(addPast(sensor, aligned, now), aligned);
}

/** Adds a past period to buffer and ground truth; returns the end of the covered time. */
function addPast(sensor: Sensor, from: number, to: number): number {
  const { id, type, profile, world, cfg } = sensor;
  const { countIntervalS } = cfg;
  // Copied, because the records are created later and must not include lines that are added in the meantime.
  const subject = { id, type, profile, world };
  const end = addHistory(sensor.outbox.buffer, subject, from, to, countIntervalS);
  for (const tally of computeHistoryTallies(subject, from, end, countIntervalS))
    sensor.env.truth.record(sensor.id, tally);
  return end;
}

/** Runs everything due in order, then sleeps until the next event. */
function live(sensor: Sensor): void {
  const now = sensor.env.clock.now();
  for (let due = nextDue(sensor); due <= now && !sensor.stopped; due = nextDue(sensor)) {
    sensor.handledTo = Math.max(sensor.handledTo, due);
    handle(sensor, due);
  }
  if (!sensor.stopped) schedule(sensor, nextDue(sensor));
}

function schedule(sensor: Sensor, time: number): void {
  sensor.cancelTick?.();
  sensor.cancelTick = time === Infinity || sensor.stopped ? null : sensor.env.clock.at(time, () => live(sensor));
}

function nextDue(sensor: Sensor): number {
  const edge = sensor.world.nextEdge(sensor.handledTo);
  if (!sensor.running) return Math.min(edge, sensor.bootDueAt);
  return Math.min(edge, sensor.viewDueAt, nextIntervalEnd(sensor), nextHealthEnd(sensor));
}

function handle(sensor: Sensor, at: number): void {
  const { world } = sensor;
  const isPowered = world.powered(at);
  if (sensor.running) {
    if (at >= nextIntervalEnd(sensor)) closeInterval(sensor, at);
    if (at >= nextHealthEnd(sensor)) closeHealth(sensor, at);
    if (!world.plain) watchView(sensor, at);
    watchClock(sensor, at);
    const restart = world.restarts(at, at + 1)[0];
    if (!isPowered) goDown(sensor, "power", Infinity, at);
    else if (restart) goDown(sensor, restart.reason, restart.downMs, at);
    else watchLink(sensor, at);
  } else if (isPowered && (at >= sensor.bootDueAt || sensor.bootDueAt === Infinity)) {
    boot(sensor, at);
  }
}

function watchClock(sensor: Sensor, at: number): void {
  const state = sensor.world.clock(at);
  if (state === sensor.clockState) return;
  closeInterval(sensor, at);
  if (sensor.clockState !== "ok") restoreClock(sensor, at);
  sensor.clockState = state;
  sensor.clockStoppedAt = at;
}

function watchLink(sensor: Sensor, at: number): void {
  const isLinked = sensor.world.linked(at);
  if (!isLinked && sensor.phase !== "idle") goOffline(sensor);
  else if (isLinked && sensor.phase === "idle") goOnline(sensor);
}

/**
 * Power loss or shutdown; the running interval is saved in flash. If `downMs` is Infinity, the sensor is down until
 * power returns.
 */
function goDown(sensor: Sensor, reason: RestartReason, downMs: number, at = sensor.env.clock.now()): void {
  if (!sensor.running) return;
  closeInterval(sensor, at);
  accumulateUptime(sensor, at);
  sensor.running = false;
  sensor.bootDueAt = at + downMs;
  sensor.bootReason = reason;
  updateFlowReporting(sensor);
  updateLevelReporting(sensor);
  // Only planned restarts publish a death message.
  if (reason === "fw" || reason === "user") void disconnectWithDeath(sensor, "reboot");
  else goOffline(sensor);
  sensor.wake();
}

function boot(sensor: Sensor, at: number): void {
  const isFirst = sensor.bootAt === 0;
  recordUncounted(sensor, sensor.intervalFrom, at);
  sensor.intervalFrom = sensor.markedAt = at;
  sensor.running = true;
  sensor.bootDueAt = Infinity;
  sensor.bootAt = at;
  sensor.bootId = randomBytes(6).toString("hex");
  if (isFirst) sensor.healthFrom = Math.floor(at / healthMs) * healthMs;
  else {
    if (at >= nextHealthEnd(sensor)) closeHealth(sensor, at);
    sensor.reboots[sensor.bootReason] = (sensor.reboots[sensor.bootReason] ?? 0) + 1;
    storeRecord(sensor, createEventRecord(at, "reboot", { detail: { reason: sensor.bootReason } }));
    sendLog(sensor, `booted: ${sensor.bootReason}`);
  }
  if (!sensor.world.plain) watchView(sensor, at);
  updateFlowReporting(sensor);
  updateLevelReporting(sensor);
  applyPendingValues(sensor);
  goOnline(sensor);
  for (const resolve of sensor.bootWaits.splice(0)) resolve();
}

export async function stopSensor(sensor: Sensor): Promise<void> {
  if (sensor.stopped) return;
  if (sensor.running) closeInterval(sensor, sensor.env.clock.now());
  sensor.stopped = true;
  sensor.cancelTick?.();
  stopTrial(sensor);
  updateFlowReporting(sensor);
  updateLevelReporting(sensor);
  await disconnectWithDeath(sensor, "shutdown");
  sensor.env.persist(sensor);
}
