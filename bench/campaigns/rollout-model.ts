// What must have become of a sensor in a rollout with kills: from its fate, and from what it noted itself.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";

/** What happens to a sensor: its fault, or what people change their minds about meanwhile. */
export type Fate = "plain" | "selftest" | "hash" | "sig" | "canceled" | "replaced";
export type Member = { id: string; fate: Fate; isRest: boolean; password: string };
export type Install = { sensor: string; job: string; version: string };
/** An order that was not answered: the version, and when it went out. */
export type Unanswered = { version: string; at: number };

export const oldVersion = "1.18.0";
export const [first, second] = ["2.0.0", "2.1.0"];
const codes = { selftest: "SELFTEST", hash: "HASH", sig: "SIG" } as const;
export const isFaulty = (fate: Fate): fate is keyof typeof codes => fate in codes;

const neverAnswered = "The sensor did not answer the update request, nor install within 49 hours";
/** So long the product waits for an answer; and so long a kill may take to be noticed at the other end. */
const answerMs = 31_000;
const noticeMs = 5_000;

/** Nothing more will happen without a new assignment. Accepted is not yet installed: an older sensor is done when its version is seen. */
export function isOver(sensor: Sensor, { isRest }: Member): boolean {
  const isEnded = (sensor.sensorUpdateTask?.status ?? null) !== null;
  return isEnded && !(isRest && sensor.artifactInstallationState?.state === "INITIATE");
}

/** Only a kill while it was on its way, or was being carried out, may have cost an order its answer. */
export function isExplained({ at }: Unanswered, kills: readonly number[]): boolean {
  return kills.some((kill) => kill > at - noticeMs && kill < at + answerMs);
}

/** What is wrong once all deadlines are over, in words; null when all is right. */
export function wrongAbout(
  member: Member,
  sensor: Sensor,
  installs: readonly Install[],
  unanswered: Unanswered | undefined,
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

function isJobRight({ fate }: Member, sensor: Sensor, installs: readonly Install[]): boolean {
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

/** An older sensor: what was asked for was installed, or never received because of a kill; whatever came after had its turn. */
function isRestRight(
  { fate }: Member,
  sensor: Sensor,
  installs: readonly Install[],
  unanswered: Unanswered | undefined,
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
