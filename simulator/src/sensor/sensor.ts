// One virtual sensor: power, restarts and the passing of time; it speaks through session and measures through meter.
import { randomBytes } from "node:crypto";
import { eventRecord } from "../records/records.ts";
import { addHistory, historyTallies } from "../records/history.ts";
import {
  clockBack,
  closeHealth,
  closeInterval,
  followFlow,
  mark,
  nextHealthEnd,
  nextIntervalEnd,
  passUnseen,
  store,
  watchView,
} from "./meter.ts";
import { resumeJob } from "../firmware/install.ts";
import { resumeUpdate } from "../firmware/rest-update.ts";
import { withLines } from "../section/effects.ts";
import { takeEffect } from "../section/store.ts";
import { resumeTrial, stopTrial } from "../section/trial.ts";
import { sendLog } from "./announce.ts";
import { actBySections } from "./configured.ts";
import { followLevels } from "./levels.ts";
import { goOffline, goOnline, sayGoodbye } from "./session.ts";
import {
  createState,
  wallClock,
  type RestartReason,
  type Sensor,
  type Setup,
  type Surroundings,
} from "../device/sensor-state.ts";

const healthMs = 900_000;

/** Makes a sensor; it does nothing before `start`: then it fills in the past, boots, goes online, counts until `stopSensor`. */
export function createSensor(setup: Setup, around: Surroundings): { sensor: Sensor; start(): void } {
  const profile = withLines(setup.profile, setup.saved?.sections);
  const sensor: Sensor = createState({ ...setup, profile }, around, {
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
    configured: () => actBySections(sensor),
    wake: () => schedule(sensor, sensor.around.clock.now()),
  });
  sensor.outbox.copies = () => sensor.world.copies(around.clock.now());
  sensor.outbox.stamp = () => wallClock(sensor);
  return { sensor, start: () => startSensor(sensor, setup) };
}

function startSensor(sensor: Sensor, setup: Setup): void {
  const { world } = sensor;
  sensor.configured();
  resumeTrial(sensor);
  const from = fillPast(sensor, setup, sensor.around.clock.now());
  sensor.intervalFrom = sensor.markedAt = sensor.handledTo = from;
  sensor.healthFrom = Math.floor(from / healthMs) * healthMs;
  sensor.clockState = world.clock(from);
  sensor.clockStoppedAt = from;
  sensor.view = setup.historyMs > 0 ? world.view(from - 1) : 0;
  if (world.powered(from)) boot(sensor, from);
  live(sensor);
  resumeJob(sensor);
  resumeUpdate(sensor);
}

/** Puts history into the buffer on the first start, and the gap since the last run later; returns where live counting begins. */
function fillPast(sensor: Sensor, setup: Setup, now: number): number {
  const { past } = sensor.world;
  const { saved, historyMs } = setup;
  if (past && !saved) addPast(sensor, past.from, past.to);
  if (historyMs <= 0) return now;
  const from = saved ? Math.max(saved.countedTo, now - historyMs) : now - historyMs;
  const aligned = Math.ceil(from / 3_600_000) * 3_600_000;
  if (aligned >= now) return now;
  if (saved && saved.countedTo > now - historyMs) {
    // The device counted on while the simulator was away: close the broken interval first.
    sensor.intervalFrom = saved.countedTo;
    for (let end = nextIntervalEnd(sensor); end <= Math.min(aligned, now); end = nextIntervalEnd(sensor))
      closeInterval(sensor, end);
  }
  return Math.max(addPast(sensor, aligned, now), aligned);
}

/** Puts a stretch of the past into the buffer and the truth; returns the end of what it covers. */
function addPast(sensor: Sensor, from: number, to: number): number {
  const { id, type, profile, world, cfg } = sensor;
  const { countIntervalS } = cfg;
  // As it is now: its records are made when they are sent, and lines that are drawn until then are not in them.
  const subject = { id, type, profile, world };
  const end = addHistory(sensor.outbox.buffer, subject, from, to, countIntervalS);
  for (const tally of historyTallies(subject, from, end, countIntervalS)) sensor.around.truth.note(sensor.id, tally);
  return end;
}

/** Lets time work: handles everything due in its order, then sleeps until the next thing is. */
function live(sensor: Sensor): void {
  const now = sensor.around.clock.now();
  for (let due = nextDue(sensor); due <= now && !sensor.stopped; due = nextDue(sensor)) {
    sensor.handledTo = Math.max(sensor.handledTo, due);
    handle(sensor, due);
  }
  if (!sensor.stopped) schedule(sensor, nextDue(sensor));
}

function schedule(sensor: Sensor, time: number): void {
  sensor.cancelTick?.();
  sensor.cancelTick = time === Infinity || sensor.stopped ? null : sensor.around.clock.at(time, () => live(sensor));
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
  if (sensor.clockState !== "ok") clockBack(sensor, at);
  sensor.clockState = state;
  sensor.clockStoppedAt = at;
}

function watchLink(sensor: Sensor, at: number): void {
  const isLinked = sensor.world.linked(at);
  if (!isLinked && sensor.phase !== "idle") goOffline(sensor);
  else if (isLinked && sensor.phase === "idle") goOnline(sensor);
}

/** Power or program ends; the running interval is closed, for it survives in flash. `downMs` Infinity: until power is back. */
function goDown(sensor: Sensor, reason: RestartReason, downMs: number, at = sensor.around.clock.now()): void {
  if (!sensor.running) return;
  closeInterval(sensor, at);
  mark(sensor, at);
  sensor.running = false;
  sensor.bootDueAt = at + downMs;
  sensor.bootReason = reason;
  followFlow(sensor);
  followLevels(sensor);
  // Only a planned restart finds the time to say good-bye.
  if (reason === "fw" || reason === "user") void sayGoodbye(sensor, "reboot");
  else goOffline(sensor);
  sensor.wake();
}

function boot(sensor: Sensor, at: number): void {
  const isFirst = sensor.bootAt === 0;
  passUnseen(sensor, sensor.intervalFrom, at);
  sensor.intervalFrom = sensor.markedAt = at;
  sensor.running = true;
  sensor.bootDueAt = Infinity;
  sensor.bootAt = at;
  sensor.bootId = randomBytes(6).toString("hex");
  if (isFirst) sensor.healthFrom = Math.floor(at / healthMs) * healthMs;
  else {
    if (at >= nextHealthEnd(sensor)) closeHealth(sensor, at);
    sensor.reboots[sensor.bootReason] = (sensor.reboots[sensor.bootReason] ?? 0) + 1;
    store(sensor, eventRecord(at, "reboot", { detail: { reason: sensor.bootReason } }));
    sendLog(sensor, `booted: ${sensor.bootReason}`);
  }
  if (!sensor.world.plain) watchView(sensor, at);
  followFlow(sensor);
  followLevels(sensor);
  takeEffect(sensor);
  goOnline(sensor);
  for (const resolve of sensor.bootWaits.splice(0)) resolve();
}

/** Ends the sensor: closes what runs, says good-bye, keeps its state. */
export async function stopSensor(sensor: Sensor): Promise<void> {
  if (sensor.stopped) return;
  if (sensor.running) closeInterval(sensor, sensor.around.clock.now());
  sensor.stopped = true;
  sensor.cancelTick?.();
  stopTrial(sensor);
  followFlow(sensor);
  followLevels(sensor);
  await sayGoodbye(sensor, "shutdown");
  sensor.around.keep(sensor);
}
