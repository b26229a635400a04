// How far a firmware has come on a sensor, as people see it (docs/rules/firmware.md#install-progress).
import { isSameVersion } from "./version-spelling.ts";
import type { Sensor } from "./sensor.ts";
import type { JobReport } from "../device/device-messages.ts";

/** Device-reported states as percentages. */
export const installPercent = {
  INITIATE: 0,
  DOWNLOAD: 25,
  DOWNLOADED: 50,
  RUNNING: 75,
  FINISHED: 100,
  ERROR: 0,
} as const satisfies Record<JobReport["state"], number>;

/** `info` of a task that was taken back while its device has not answered yet. */
export const cancelPending = "The cancellation waits for the sensor's answer";

/** `info` of a task while its sensor, asked through its REST interface, has not answered. */
export const updateAsked = "The sensor was asked to install and has not answered; it may be installing";

/** `info` of a task that does not begin until it is resumed. */
export const installPaused = "Paused: the installation begins when it is resumed";

/** Statuses of a task that ended without its firmware: to set the firmware once more is another attempt. */
export const endedInVain = ["UpdateFailed", "UpdateCanceled"] as const;

const progressWords = ["INSTALLING", "SUCCESS", "FAILED", "CANCELED"] as const;
type ProgressWord = (typeof progressWords)[number];

export type InstallProgress = {
  word: ProgressWord;
  /** By the state that the device reported last; null before its first report, and when nothing is installing. */
  percent: number | null;
  state: JobReport["state"] | null;
  /** Cancel Installation is offered while the status is empty. */
  offersCancel: boolean;
  /** The firmware was taken back and the device has not answered yet. */
  isCanceling: boolean;
  /** It has not begun, and does not until it is resumed. */
  isPaused: boolean;
  /** It was installed, and the sensor reports another version since. */
  isReverted: boolean;
  /** The device has begun to install: no cancel stops it any more. */
  isPastCancel: boolean;
};

type Facts = Pick<Sensor, "sensorUpdateTask" | "artifact" | "artifactRunning" | "artifactInstallationState" | "info">;

const wordOf = {
  UpdateInitiatedOnSensor: "SUCCESS",
  UpdateFailed: "FAILED",
  UpdateCanceled: "CANCELED",
} as const;

/** Progress by the task's status; without a task by whether the assigned firmware runs. */
export function installProgress(sensor: Facts): InstallProgress {
  const { sensorUpdateTask: task, artifactInstallationState } = sensor;
  const word = task
    ? task.status === null
      ? "INSTALLING"
      : wordOf[task.status]
    : runsAssigned(sensor)
      ? "SUCCESS"
      : "INSTALLING";
  const isOpen = task !== null && task.status === null;
  const state = artifactInstallationState?.state ?? null;
  const isPastCancel = isOpen && (state === "RUNNING" || state === "FINISHED" || task.info === updateAsked);
  return {
    word,
    percent: word === "INSTALLING" && state !== null ? installPercent[state] : null,
    state,
    offersCancel: isOpen,
    isCanceling: isOpen && task.info === cancelPending,
    isPaused: isOpen && task.info === installPaused,
    isReverted:
      task !== null &&
      word === "SUCCESS" &&
      state === "FINISHED" &&
      reportedVersion(sensor) !== null &&
      !runsAssigned(sensor),
    isPastCancel,
  };
}

function runsAssigned({ artifact, artifactRunning, info }: Facts): boolean {
  if (artifact === null || artifact._id === artifactRunning?._id) return true;
  // The same version of another owner is the same version.
  const version = reportedVersion({ info });
  return version !== null && isSameVersion(version, artifact.name);
}

function reportedVersion({ info }: Pick<Facts, "info">): string | null {
  const software = info?.["software"] as { firmware?: { version?: unknown } } | undefined;
  const version = software?.firmware?.version;
  return typeof version === "string" ? version : null;
}
