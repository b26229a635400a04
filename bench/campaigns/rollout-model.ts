// Predicts the final state of a sensor after a rollout with kills, from its fate and its own installation log.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";

/** What happens to a sensor's update: nothing special, a fault of the sensor, or a change by a user. */
export type Fate = "plain" | "selftest" | "hash" | "sig" | "canceled" | "replaced";
export type RolloutMember = { id: string; fate: Fate; isRest: boolean; password: string };
export type InstallLogEntry = { sensor: string; job: string; version: string };
export type UnansweredOrder = { version: string; at: number };

export const oldVersion = "1.18.0";
export const [first, second] = ["2.0.0", "2.1.0"];
const codes = { selftest: "SELFTEST", hash: "HASH", sig: "SIG" } as const;
export const isFaulty = (fate: Fate): fate is keyof typeof codes => fate in codes;

const neverAnswered = "The sensor did not respond to the update request or install within 49 hours";
/** The server's timeout for a response. `noticeMs` is the time it needs to notice a killed peer. */
const answerMs = 31_000;
const noticeMs = 5_000;

/**
 * Whether nothing more can happen without a new assignment. A REST sensor must also report the new version, not only accept it.
 */
export function isRolloutOver(sensor: Sensor, { isRest }: RolloutMember): boolean {
  const isEnded = (sensor.sensorUpdateTask?.status ?? null) !== null;
  return isEnded && !(isRest && sensor.artifactInstallationState?.state === "INITIATE");
}

/** Whether a kill during the order or its execution explains the missing response. Nothing else can. */
export function isExplainedByKill({ at }: UnansweredOrder, kills: readonly number[]): boolean {
  return kills.some((kill) => kill > at - noticeMs && kill < at + answerMs);
}

export function findRolloutErrors(
  member: RolloutMember,
  sensor: Sensor,
  installs: readonly InstallLogEntry[],
  unanswered: UnansweredOrder | undefined,
): string | null {
  const { status, info } = sensor.sensorUpdateTask ?? {};
  const booted = installs.map((one) => one.version).join(" ");
  const seen = `${status} ${info ?? ""} running ${String(runs(sensor))}, booted ${booted}`;
  if (new Set(installs.map((one) => one.job)).size !== installs.length) return `booted twice for one task: ${seen}`;
  if (new Set(installs.map((one) => one.version)).size !== installs.length) return `booted twice: ${seen}`;
  const isRight = member.isRest ? isRestRight : isJobRight;
  return isRight(member, sensor, installs, unanswered) ? null : seen;
}

const runs = (sensor: Sensor): unknown =>
  (sensor.info?.["software"] as { firmware?: { version?: unknown } } | undefined)?.firmware?.version;

function isJobRight({ fate }: RolloutMember, sensor: Sensor, installs: readonly InstallLogEntry[]): boolean {
  const { status, info } = sensor.sensorUpdateTask ?? {};
  const booted = (version: string) => installs.some((one) => one.version === version);
  if (isFaulty(fate))
    return (
      status === "UpdateFailed" &&
      info?.startsWith(codes[fate]) === true &&
      runs(sensor) === oldVersion &&
      installs.length === (fate === "selftest" ? 1 : 0)
    );
  if (fate === "canceled") {
    const [end, version] = booted(first) ? ["UpdateInitiatedOnSensor", first] : ["UpdateCanceled", oldVersion];
    return status === end && runs(sensor) === version && sensor.artifact === null;
  }
  return hasVersion(fate, sensor) && status === "UpdateInitiatedOnSensor" && booted(versionOf(fate));
}

/**
 * Whether a REST sensor ended as predicted: it has the ordered version, or a kill lost the order. Orders after the kill must have
 * been processed.
 */
function isRestRight(
  { fate }: RolloutMember,
  sensor: Sensor,
  installs: readonly InstallLogEntry[],
  unanswered: UnansweredOrder | undefined,
): boolean {
  const { status, info } = sensor.sensorUpdateTask ?? {};
  const booted = (version: string) => installs.some((one) => one.version === version);
  const version = versionOf(fate);
  const isArtifactRight = fate === "canceled" ? sensor.artifact === null : sensor.artifact?.name === version;
  if (!isArtifactRight) return false;
  if (unanswered?.version === version && !booted(version)) {
    const left = booted(first) ? first : oldVersion;
    return status === "UpdateFailed" && info === neverAnswered && runs(sensor) === left;
  }
  if (fate === "canceled" && installs.length === 0) return status === "UpdateCanceled" && runs(sensor) === oldVersion;
  return status === "UpdateInitiatedOnSensor" && runs(sensor) === version && booted(version);
}

const versionOf = (fate: Fate): string => (fate === "replaced" ? second : first);
const hasVersion = (fate: Fate, sensor: Sensor): boolean =>
  runs(sensor) === versionOf(fate) && sensor.artifact?.name === versionOf(fate);
