// Trial of a change that may cut the connection: applied, tested over a new connection, reverted unless confirmed in time.
import type { Trial, TrialEnd, SectionValues } from "../device/section-state.ts";
import type { Sensor } from "../device/sensor-state.ts";
import { findSection, storedSectionOf } from "./sections.ts";

const applyInMs = 2000;
const backInMs = 5000;
export const confirmWithinS = 60;

/** Starts a trial of the stored values. The values `before` are restored unless the trial is confirmed. */
export function beginTrial(sensor: Sensor, section: string, before: SectionValues): void {
  const { sections, env } = sensor;
  const applyAt = env.net.now() + applyInMs;
  const until = applyAt + confirmWithinS * 1000;
  sections.trial = { section, rev: storedSectionOf(sensor, section).rev, before, applyAt, until, isApplied: false };
  follow(sensor);
}

export function resumeTrial(sensor: Sensor): void {
  const { trial } = sensor.sections;
  if (trial === null) return;
  if (trial.isApplied && sensor.env.net.now() >= trial.until) return rollBack(sensor);
  sensor.isAway = trial.isApplied && isCutOff(sensor, trial);
  follow(sensor);
}

export function confirmTrial(sensor: Sensor, { rev }: Trial): void {
  end(sensor, rev, "confirmed");
}

export function stopTrial(sensor: Sensor): void {
  sensor.cancelTrial?.();
  sensor.cancelTrial = null;
}

/** Schedules the next step by the clock `net`, because the server measures the time, too. */
function follow(sensor: Sensor): void {
  const { trial } = sensor.sections;
  const { net } = sensor.env;
  stopTrial(sensor);
  if (trial === null) return;
  sensor.cancelTrial = trial.isApplied
    ? net.at(trial.until, () => rollBack(sensor))
    : net.at(trial.applyAt, () => apply(sensor, trial));
}

function apply(sensor: Sensor, trial: Trial): void {
  if (sensor.stopped) return;
  const { net } = sensor.env;
  trial.isApplied = true;
  sensor.env.persist(sensor);
  sensor.isAway = true;
  sensor.configured();
  sensor.leave();
  follow(sensor);
  if (isCutOff(sensor, trial)) return;
  net.at(net.now() + backInMs, () => {
    if (sensor.sections.trial === trial) comeBack(sensor);
  });
}

/** Whether the new values make the sensor unreachable. An unreachable broker is only noticed on connect. */
function isCutOff(sensor: Sensor, { section }: Trial): boolean {
  return findSection(sensor, section)?.cutsOff?.(storedSectionOf(sensor, section).values) ?? false;
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
  // A new revision, because clients may have read the one under trial.
  sections.held[section] = { ...storedSectionOf(sensor, section), rev: rev + 1, values: before };
  end(sensor, rev, "rolledBack");
  sensor.configured();
  comeBack(sensor);
}

function end(sensor: Sensor, rev: number, outcome: TrialEnd["outcome"]): void {
  const { sections, env, id } = sensor;
  const section = sections.trial?.section ?? "";
  stopTrial(sensor);
  sections.trial = null;
  sections.lastTrial = { section, rev, outcome, at: env.net.now() };
  env.persist(sensor);
  env.log(id, `${section} ${outcome}`);
}
