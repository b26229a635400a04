// A change that may cut the connection: applied, tried over a new connection, and taken back unless it is confirmed in time.
import type { Trial, TrialEnd, Values } from "../device/section-state.ts";
import type { Sensor } from "../device/sensor-state.ts";
import { findSection, heldOf } from "./sections.ts";

const applyInMs = 2000;
const backInMs = 5000;
export const confirmWithinS = 60;

/** Puts what is held of a section on trial, against what it was before. */
export function beginTrial(sensor: Sensor, section: string, before: Values): void {
  const { sections, around } = sensor;
  const applyAt = around.net.now() + applyInMs;
  const until = applyAt + confirmWithinS * 1000;
  sections.trial = { section, rev: heldOf(sensor, section).rev, before, applyAt, until, isApplied: false };
  follow(sensor);
}

/** Goes on with what a restart of the simulator interrupted. */
export function resumeTrial(sensor: Sensor): void {
  const { trial } = sensor.sections;
  if (trial === null) return;
  if (trial.isApplied && sensor.around.net.now() >= trial.until) return rollBack(sensor);
  sensor.isAway = trial.isApplied && isCutOff(sensor, trial);
  follow(sensor);
}

/** The server was reached with the new settings: they stay. */
export function confirmTrial(sensor: Sensor, { rev }: Trial): void {
  end(sensor, rev, "confirmed");
}

export function stopTrial(sensor: Sensor): void {
  sensor.cancelTrial?.();
  sensor.cancelTrial = null;
}

/** Waits for the next step. Waits are the network's: a server counts the seconds by its own clock. */
function follow(sensor: Sensor): void {
  const { trial } = sensor.sections;
  const { net } = sensor.around;
  stopTrial(sensor);
  if (trial === null) return;
  sensor.cancelTrial = trial.isApplied
    ? net.at(trial.until, () => rollBack(sensor))
    : net.at(trial.applyAt, () => apply(sensor, trial));
}

function apply(sensor: Sensor, trial: Trial): void {
  if (sensor.stopped) return;
  const { net } = sensor.around;
  trial.isApplied = true;
  sensor.around.keep(sensor);
  sensor.isAway = true;
  sensor.configured();
  sensor.leave();
  follow(sensor);
  if (isCutOff(sensor, trial)) return;
  net.at(net.now() + backInMs, () => {
    if (sensor.sections.trial === trial) comeBack(sensor);
  });
}

/** With these values no one reaches the sensor. A broker that does not answer shows by itself, when it is tried. */
function isCutOff(sensor: Sensor, { section }: Trial): boolean {
  return findSection(sensor, section)?.cutsOff?.(heldOf(sensor, section).values) ?? false;
}

function comeBack(sensor: Sensor): void {
  if (sensor.stopped) return;
  sensor.isAway = false;
  sensor.resetNetwork();
}

function rollBack(sensor: Sensor): void {
  const { sections } = sensor;
  const { trial } = sections;
  if (trial === null || sensor.stopped) return;
  const { section, rev, before } = trial;
  // A revision of its own: who read the one on trial has not read these values.
  sections.held[section] = { ...heldOf(sensor, section), rev: rev + 1, values: before };
  end(sensor, rev, "rolledBack");
  sensor.configured();
  comeBack(sensor);
}

function end(sensor: Sensor, rev: number, outcome: TrialEnd["outcome"]): void {
  const { sections, around, id } = sensor;
  const section = sections.trial?.section ?? "";
  stopTrial(sensor);
  sections.trial = null;
  sections.lastTrial = { section, rev, outcome, at: around.net.now() };
  around.keep(sensor);
  around.log(id, `${section} ${outcome}`);
}
