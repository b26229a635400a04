// The state machine of update tasks: states, transitions, and who may cause them.
import { isSameVersion } from "@psp/contract/sensor/version-spelling.ts";
import type { InstallationState } from "@psp/contract/sensor/presence.ts";
import type { JobReport } from "@psp/contract/device/device-messages.ts";

/** The task as stored with its sensor and sent on the wire. */
export type UpdateTask = {
  id: string;
  status: "UpdateInitiatedOnSensor" | "UpdateFailed" | "UpdateCanceled" | null;
  artifactID: string;
  createdAt: string;
  createdByAccount: string;
  statusChangedAt: string | null;
  info: string | null;
};

const taskStates = [
  "waiting",
  "paused",
  "offered",
  "initiated",
  "downloading",
  "downloaded",
  "running",
  "proving",
  "withdrawn",
  "asked",
  "accepted",
  "done",
  "failed",
  "expired",
  "canceled",
] as const;
export type TaskState = (typeof taskStates)[number];

/** All causes of transitions and their origin. */
export const transitionCauses = {
  /** The sensor is connected and no other task is active: the manifest goes into its desired state. */
  offer: "server",
  /**
   * The sensor takes firmware only through REST, is reachable and accepted the login, so the update is about to be
   * requested.
   */
  ask: "server",
  unsent: "server",
  /** The request was not sent, and the update is no longer wanted. */
  dropped: "server",
  /** Response 200. */
  accept: "device",
  /** Any other response, or a refused login. */
  refuse: "device",
  lack: "server",
  cancel: "person",
  /** A task that has not started is paused or resumed (ADR 0019). */
  pause: "person",
  resume: "person",
  INITIATE: "device",
  DOWNLOAD: "device",
  DOWNLOADED: "device",
  RUNNING: "device",
  FINISHED: "device",
  ERROR: "device",
  /** ERROR with the code of an executed withdrawal. */
  CANCELED: "device",
  /** The sensor reports the desired version after FINISHED. */
  proof: "device",
  /** The device applied a desired state without the task, and had never started the task. */
  unbegun: "device",
  /** A withdrawn task got no further reports after the device applied the withdrawal. */
  silence: "clock",
  deadline: "clock",
  /** The desired version is already running at the task's turn or at its deadline. */
  landed: "clock",
} as const;
export type TransitionCause = keyof typeof transitionCauses;

const progress = {
  INITIATE: "initiated",
  DOWNLOAD: "downloading",
  DOWNLOADED: "downloaded",
  RUNNING: "running",
} as const;
const ends = {
  FINISHED: "proving",
  ERROR: "failed",
  CANCELED: "canceled",
  deadline: "expired",
  landed: "done",
} as const;
/** Until it installs, a device may lose its download and start over, and the task can be withdrawn. */
const beforeInstalling = { ...progress, ...ends, cancel: "withdrawn" } as const;

/** Transitions by state; unlisted causes change nothing. */
const moves = {
  waiting: {
    offer: "offered",
    ask: "asked",
    refuse: "failed",
    lack: "failed",
    cancel: "canceled",
    pause: "paused",
    deadline: "expired",
    landed: "done",
  },
  paused: { resume: "waiting", cancel: "canceled" },
  offered: beforeInstalling,
  initiated: beforeInstalling,
  downloading: beforeInstalling,
  downloaded: beforeInstalling,
  // From this state on, a cancel has no effect.
  running: ends,
  // FINISHED does not prove the installation; only the reported version does.
  proving: { ...ends, FINISHED: "proving", proof: "done" },
  withdrawn: {
    RUNNING: "running",
    FINISHED: "proving",
    ERROR: "failed",
    CANCELED: "canceled",
    unbegun: "canceled",
    silence: "canceled",
    deadline: "canceled",
    landed: "done",
  },
  // A cancel has no effect in this state either: the sensor may have received the request, which can't be revoked.
  asked: {
    unsent: "waiting",
    dropped: "canceled",
    accept: "accepted",
    refuse: "failed",
    proof: "done",
    deadline: "expired",
    landed: "done",
  },
  accepted: { proof: "done", deadline: "expired", landed: "done" },
  done: {},
  failed: {},
  // The device may have succeeded without reporting in time.
  expired: { proof: "done" },
  canceled: { proof: "done" },
} as const satisfies Record<TaskState, Partial<Record<TransitionCause, TaskState>>>;

export function nextState(state: TaskState, cause: TransitionCause): TaskState | null {
  const from: Partial<Record<TransitionCause, TaskState>> = moves[state];
  return from[cause] ?? null;
}

/** The displayed status; empty means in progress (docs/rules/firmware.md#task-states). */
export const statusByTaskState = {
  waiting: null,
  paused: null,
  offered: null,
  initiated: null,
  downloading: null,
  downloaded: null,
  running: null,
  proving: null,
  withdrawn: null,
  asked: null,
  accepted: "UpdateInitiatedOnSensor",
  done: "UpdateInitiatedOnSensor",
  failed: "UpdateFailed",
  expired: "UpdateFailed",
  canceled: "UpdateCanceled",
} as const satisfies Record<TaskState, UpdateTask["status"]>;

const installationOfState = {
  waiting: "waiting",
  paused: "paused",
  offered: "waiting",
  initiated: "waiting",
  downloading: "installing",
  downloaded: "installing",
  running: "installing",
  proving: "installing",
  asked: "waiting",
  accepted: "waiting",
  done: "done",
  failed: "failed",
  expired: "failed",
  canceled: "canceled",
} as const satisfies Record<Exclude<TaskState, "withdrawn">, InstallationState>;

/** A withdrawn task shows the device's last state until its end is known. */
export function toInstallationState(state: TaskState, report: JobReport["state"] | null): InstallationState {
  if (state !== "withdrawn") return installationOfState[state];
  return report === null || report === "INITIATE" ? "waiting" : "installing";
}

/** The report shown for updates over REST, for which the sensor reports nothing itself. */
export const restReportByTaskState: Partial<Record<TaskState, JobReport["state"]>> = {
  accepted: "INITIATE",
  done: "FINISHED",
  failed: "ERROR",
  expired: "ERROR",
};

const over: readonly TaskState[] = ["done", "failed", "expired", "canceled"];

/** Whether the sensor reports the task's version, in any spelling. */
export function isVersionRunning(
  { running_version: running }: { running_version: string | null },
  { version }: { version: string },
): boolean {
  return running !== null && isSameVersion(running, version);
}

/** Whether the task has not ended. Its outcome may already be displayed. */
export function isOpen(state: TaskState): boolean {
  return !over.includes(state);
}

/** Whether the device may be working on the task; meanwhile, nothing else is offered. */
export function isBusy(state: TaskState): boolean {
  return isOpen(state) && state !== "waiting" && state !== "paused";
}

export function toCause(report: { state: JobReport["state"]; code?: string | null | undefined }): TransitionCause {
  return report.state === "ERROR" && report.code === "CANCELED" ? "CANCELED" : report.state;
}
