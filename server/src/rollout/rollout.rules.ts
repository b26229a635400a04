// The life of an update task as data: its states, what moves it from one to the next, and who may cause that.
import { isSameVersion } from "@psp/contract/sensor/version-spelling.ts";
import type { Installation } from "@psp/contract/sensor/presence.ts";
import type { JobReport } from "@psp/contract/device/device-messages.ts";

/** What a sensor's row keeps of its task, and shows on the wire. */
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

/** Everything that can move a task, and whose doing it is. */
export const causes = {
  /** The sensor is connected and nothing else is at work on it: the manifest goes into its desired state. */
  offer: "server",
  /** The sensor takes firmware through its REST interface alone, is reachable and let us in: it is about to be asked, once. */
  ask: "server",
  /** The request never left: the tunnel was gone. */
  unsent: "server",
  /** It never left, and it is no longer desired. */
  dropped: "server",
  /** Answered with 200. */
  accept: "device",
  /** Answered with anything else, or the login was refused. */
  refuse: "device",
  /** There is nothing to offer: the firmware was deleted, or has no file. */
  lack: "server",
  /** The firmware is taken away again, or another one is desired. */
  cancel: "person",
  /** What has not begun is held back, or may begin again (ADR 0019). */
  pause: "person",
  resume: "person",
  INITIATE: "device",
  DOWNLOAD: "device",
  DOWNLOADED: "device",
  RUNNING: "device",
  FINISHED: "device",
  ERROR: "device",
  /** ERROR with the code of an obeyed withdrawal. */
  CANCELED: "device",
  /** The desired version is the one that the sensor reports, after it said FINISHED. */
  proof: "device",
  /** The device took the desired state without the task, and had never begun it. */
  unbegun: "device",
  /** Withdrawn, the device took that, and says nothing more about it. */
  silence: "clock",
  deadline: "clock",
  /** The deadline is over, or the turn has come, and the desired version runs. */
  landed: "clock",
} as const;
export type Cause = keyof typeof causes;

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
/** Until it installs, a device may lose what it fetched and start over, and it lets itself be called back. */
const beforeInstalling = { ...progress, ...ends, cancel: "withdrawn" } as const;

/** What leads where. A cause that is not listed for a state changes nothing. */
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
  // No time is over for what may not begin.
  paused: { resume: "waiting", cancel: "canceled" },
  offered: beforeInstalling,
  initiated: beforeInstalling,
  downloading: beforeInstalling,
  downloaded: beforeInstalling,
  // No way back: a cancel changes nothing from here on.
  running: ends,
  // FINISHED is a claim; the reported version is the truth.
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
  // No way back either: the sensor may have received the request, and what it took it can't be asked to forget.
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
  // The device did not report in time, or it did not obey: what it did all the same is the truth.
  expired: { proof: "done" },
  canceled: { proof: "done" },
} as const satisfies Record<TaskState, Partial<Record<Cause, TaskState>>>;

/** The state that follows, or null when the cause means nothing in this one. */
export function nextState(state: TaskState, cause: Cause): TaskState | null {
  const from: Partial<Record<Cause, TaskState>> = moves[state];
  return from[cause] ?? null;
}

/** What people see of each state: empty means under way (docs/rules/firmware.md#task-states). */
export const statusOf = {
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
} as const satisfies Record<Exclude<TaskState, "withdrawn">, Installation>;

/** A withdrawn one is where its device said last, until it is known how it ended. */
export function installationOf(state: TaskState, report: JobReport["state"] | null): Installation {
  if (state !== "withdrawn") return installationOfState[state];
  return report === null || report === "INITIATE" ? "waiting" : "installing";
}

/** The report that is shown for a sensor that is updated over REST, which reports nothing itself. */
export const reportOfRest: Partial<Record<TaskState, JobReport["state"]>> = {
  accepted: "INITIATE",
  done: "FINISHED",
  failed: "ERROR",
  expired: "ERROR",
};

const over: readonly TaskState[] = ["done", "failed", "expired", "canceled"];

/** Whether the sensor reports the version of a task, however it is spelled. */
export function runs(
  { running_version: running }: { running_version: string | null },
  { version }: { version: string },
): boolean {
  return running !== null && isSameVersion(running, version);
}

/** True until nothing more is done about it; people may see an outcome before. */
export function isOpen(state: TaskState): boolean {
  return !over.includes(state);
}

/** True while the device may be busy with it: nothing else is offered meanwhile. */
export function isAtWork(state: TaskState): boolean {
  return isOpen(state) && state !== "waiting" && state !== "paused";
}

/** The cause behind a report; the code distinguishes an obeyed withdrawal from a failure. */
export function causeOf(report: { state: JobReport["state"]; code?: string | null | undefined }): Cause {
  return report.state === "ERROR" && report.code === "CANCELED" ? "CANCELED" : report.state;
}
