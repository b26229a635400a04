// Computes the installation progress of firmware on a sensor (docs/rules/firmware.md#install-progress).
import { isSameVersion } from "./version-spelling.ts";
import type { Sensor } from "./sensor.ts";
import type { JobReport } from "../device/device-messages.ts";

export const installPercent = {
  INITIATE: 0,
  DOWNLOAD: 25,
  DOWNLOADED: 50,
  RUNNING: 75,
  FINISHED: 100,
  ERROR: 0,
} as const satisfies Record<JobReport["state"], number>;

/** Info text of a task while the device has not confirmed its cancellation. */
export const pendingCancellationInfo = "Waiting for the sensor to confirm the cancellation";

/** Info text of a task while the sensor has not responded to the update request over REST. */
export const installRequestedInfo = "The sensor was asked to install but has not responded. It may be installing";

export const pausedInstallationInfo = "Paused. The installation starts when you resume it";

/** If a task has one of these statuses, assigning the same firmware again starts a new attempt. */
export const failedTaskStatuses = ["UpdateFailed", "UpdateCanceled"] as const;

const progressWords = ["INSTALLING", "SUCCESS", "FAILED", "CANCELED"] as const;
type ProgressWord = (typeof progressWords)[number];

export type InstallProgress = {
  word: ProgressWord;
  /** Derived from the state that the device last reported. Null before the first report, and if nothing is being installed. */
  percent: number | null;
  state: JobReport["state"] | null;
  offersCancel: boolean;
  /** Whether the installation was canceled but the device has not confirmed it yet. */
  isCanceling: boolean;
  isPaused: boolean;
  /** Whether the sensor installed the firmware but has since reported another version. */
  isReverted: boolean;
  /** Whether the device is already installing, which can't be canceled. */
  isPastCancel: boolean;
};

type Facts = Pick<Sensor, "sensorUpdateTask" | "artifact" | "artifactRunning" | "artifactInstallationState" | "info">;

const wordOf = {
  UpdateInitiatedOnSensor: "SUCCESS",
  UpdateFailed: "FAILED",
  UpdateCanceled: "CANCELED",
} as const;

/** Derives the progress from the status of the task. Without a task, it depends on whether the assigned firmware is running. */
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
  const isPastCancel = isOpen && (state === "RUNNING" || state === "FINISHED" || task.info === installRequestedInfo);
  return {
    word,
    percent: word === "INSTALLING" && state !== null ? installPercent[state] : null,
    state,
    offersCancel: isOpen,
    isCanceling: isOpen && task.info === pendingCancellationInfo,
    isPaused: isOpen && task.info === pausedInstallationInfo,
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
  // Compares versions, because packages of different owners may contain the same version.
  const version = reportedVersion({ info });
  return version !== null && isSameVersion(version, artifact.name);
}

function reportedVersion({ info }: Pick<Facts, "info">): string | null {
  const software = info?.["software"] as { firmware?: { version?: unknown } } | undefined;
  const version = software?.firmware?.version;
  return typeof version === "string" ? version : null;
}
