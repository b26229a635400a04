// Texts of a single sensor's pages; some are fixed (docs/rules/sensors.md#fixed-texts).
import { clientErrors } from "@psp/contract/errors.ts";
import { formatCount } from "../ui/text/numbers.ts";

const seconds = (n: number) => formatCount(n, "second");

export const sensorPageText = {
  configuration: "CONFIGURATION",
  preview: "PREVIEW",
  maintenance: "MAINTENANCE",
  counts: "Counts",
  general: "General",
  monitoring: "Monitoring",
  vpn: "VPN",
  firmware: "Firmware",
  logs: "Monitoring Logs", // fixed
  history: "History",
  monitoringUnlicensed: "Ask our support team how you can activate this option", // fixed
  monitoringUnplaced: "You need to assign a location to the sensor to use monitoring", // fixed
  vpnOff: "Enable the VPN option on your sensor to activate this option", // fixed
  noLogs: "This sensor doesn't have any monitoring logs yet", // fixed

  freshValue: (value: string) => `New value available: ${value}`,
  takeFresh: (field: string) => `Use the new ${field.toLowerCase()}`,
  ownerUndone: "Change undone. Cleared settings, and a location that you can't view, are not restored.",
  empty: "none",
  on: "on",
  off: "off",

  groupTooLong: (max: number) => `A group can have at most ${max} characters`,
  tooManyGroups: (max: number) => `Enter at most ${max} groups`,

  showQr: "Show QR code",
  qrTitle: "Register this sensor",
  qrLabel: (id: string) => `QR code with the registration link of ${id}`,
  qrHint:
    "Scan the code with a phone to register the sensor. You need an account, and re-registration must be enabled.",
  print: "Print",
  close: "Close",
  copyLink: "Copy registration link",

  licenses: "Licenses",
  monitoringLicense: "Monitoring license",
  licensesHint: "Only you, the operator, can see and change licenses.",
  licensesSaving: "Saving the license",
  licensesBlocked: "Save or discard your changes first",

  restTitle: "REST credentials", // fixed
  restHint:
    "The login for the sensor's REST interface. The password is stored encrypted and never shown. Enter a new one to replace it.",
  restNone: "No credentials stored.",
  username: "Username",
  password: "Password",
  passwordKept: "Leave empty to keep the stored password",
  usernameRequired: "The username is required", // fixed
  passwordRequired: "The password is required", // fixed
  clearRest: "Clear credentials",
  clearRestTitle: "Clear REST credentials",
  clearRestQuestion: (id: string) =>
    `You are about to clear the REST credentials of the sensor ${id}. PS.Platform will no longer be able to log in to its REST interface. Are you sure?`,
  clear: "Clear",
  cleared: (id: string) => `Cleared the REST credentials of ${id}`,
  tooLong: (max: number) => `At most ${max} characters`,
} as const;

export const installText = {
  title: "Firmware installation", // fixed
  words: { INSTALLING: "Installing", SUCCESS: "Success", FAILED: "Failed", CANCELED: "Canceled" },
  states: {
    INITIATE: "Accepted by the sensor",
    DOWNLOAD: "Downloading",
    DOWNLOADED: "Downloaded and verified",
    RUNNING: "Installing and restarting",
    FINISHED: "Finished, checking the sensor's version",
    ERROR: "The sensor reported an error",
  },
  paused: "Paused",
  waiting: "Waiting for the sensor",
  waitingOffline: "Waiting for the sensor to connect",
  progress: "Installation progress",
  assigned: "Assigned firmware",
  running: "Running firmware",
  since: "Started",
  by: "By",
  ended: { INSTALLING: "Ended", SUCCESS: "Installed", FAILED: "Failed", CANCELED: "Canceled" },
  reason: "Reason",
  unknownAccount: "An account that you can't view",
  resume: "Resume",
  resumed: "Installation resumed",
  reverted:
    "The firmware was installed, but the sensor has gone back to another version. Set the firmware again to retry.",
  resumeFailed: "The installation could not be resumed.",
  cancel: "Cancel Installation", // fixed
  canceling: "Waiting for the sensor to confirm the cancellation",
  pastCancel: "The installation has started and can no longer be canceled",
  retry: "Try again",
  announced: (word: string, percent: number | null) => (percent === null ? word : `${word}, ${percent} percent`),
} as const;

export const firmwareUndoText = {
  set: "Firmware set",
  undo: "Undo",
  done: (undone: number, begun: number) => {
    if (undone === 0) return "The installation has already started and continues.";
    const rest =
      begun === 0
        ? ""
        : ` ${formatCount(begun, "sensor")} ${begun === 1 ? "has" : "have"} already started installing and will continue.`;
    return `Previous firmware restored on ${formatCount(undone, "sensor")}.${rest}`;
  },
  failed: (n: number) => `The previous firmware could not be restored on ${formatCount(n, "sensor")}.`,
} as const;

export const remoteText = {
  title: "Remote functions",
  unreachable: {
    recentContact: "The sensor is not connected right now. Try again when it is back online.",
    disconnected: "The sensor is offline. Try again when it is connected.",
  },
  busy: "The sensor is still answering another request. Try again in a few seconds.",
  waiting: (leftS: number) => `Waiting for the sensor: ${seconds(leftS)} left`,
  snapshot: "Snapshot",
  snapshotHint:
    "A picture of what the sensor sees right now, with people blurred. It is only shown here and never stored.",
  takeSnapshot: "Take snapshot",
  reload: "Reload",
  save: "Save picture",
  pictureOf: (id: string) => `Snapshot of ${id}`,
  takenAt: (time: string) => `Taken ${time}`,
  snapshotFailed: clientErrors.sensorSnapshotFailed.message,
  requestFailed: clientErrors.requestFailed.message,
  notAPicture: "The sensor's response contains no picture.",
  notAResult: "The sensor's response can't be read.",
  upload: "Upload test",
  uploadHint: "The sensor uploads a small amount of data and reports the speed.",
  startUpload: "Start upload test",
  uploadBytes: "Sent",
  uploadTime: "Time",
  uploadSpeed: "Speed",
  uploadStatus: "HTTP status",
  uploadOk: "The sensor's upload arrived.",
  uploadRefused: "The sensor's upload was refused.",
  reset: "Network configuration",
  resetHint: "Resets the sensor's network settings to factory defaults.",
  startReset: "Reset network configuration",
  resetQuestion: (id: string) =>
    `You are about to reset the network configuration of the sensor ${id}. It loses its network settings and may stay offline until someone sets it up on site. If it can't reach PS.Platform within 10 minutes, it restores the old settings. Are you sure?`,
  resetConfirm: "Reset",
  resetDone: (id: string, inS: number) => `${id} will reset its network configuration in ${seconds(inS)}`,
} as const;

export const sensorRpcText = {
  busy: "The sensor is busy. Try again.", // fixed
  unreadable: "The sensor's response can't be read.",
  says: (sentence: string) => `Sensor: ${sentence}`,
} as const;
