// Every sentence of a single sensor's pages; some are fixed (docs/rules/sensors.md#fixed-texts).
import { clientErrors } from "@psp/contract/errors.ts";

const seconds = (n: number) => (n === 1 ? "1 second" : `${n} seconds`);

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
  ownerUndone: "The change was taken back. Cleared settings, and a location that you can't view, don't come back.",
  empty: "none",
  on: "on",
  off: "off",

  groupTooLong: (max: number) => `A group has at most ${max} characters`,
  tooManyGroups: (max: number) => `At most ${max} groups`,

  showQr: "Show QR code",
  qrTitle: "Register this sensor",
  qrLabel: (id: string) => `QR code of the registration link of ${id}`,
  qrHint: "Scan it with a phone to register the sensor. Registering needs an account, and re-registration switched on.",
  print: "Print",
  close: "Close",
  copyLink: "Copy registration link",

  licenses: "Licenses",
  monitoringLicense: "Monitoring license",
  licensesHint: "Only your account, the operator's, can see and switch licenses.",
  licensesSaving: "Saving the license",
  licensesBlocked: "Save or discard your changes first",

  restTitle: "REST credentials", // fixed
  restHint:
    "The login of the sensor's own REST interface. The password is kept encrypted and never shown again: type a new one to replace it.",
  restNone: "No credentials are stored.",
  username: "Username",
  password: "Password",
  passwordKept: "Leave empty to keep the stored password",
  usernameRequired: "The username is required", // fixed
  passwordRequired: "The password is required", // fixed
  clearRest: "Clear credentials",
  clearRestTitle: "Clear REST credentials",
  clearRestQuestion: (id: string) =>
    `You are about to clear the REST credentials of the sensor ${id}. The platform can no longer log in to its REST interface then. Are you sure?`,
  clear: "Clear",
  cleared: (id: string) => `Cleared the REST credentials of ${id}`,
  tooLong: (max: number) => `At most ${max} characters`,
} as const;

/** Sentences about the installation of a firmware. */
export const installText = {
  title: "Firmware installation", // fixed
  words: { INSTALLING: "Installing", SUCCESS: "Success", FAILED: "Failed", CANCELED: "Canceled" },
  states: {
    INITIATE: "The sensor has accepted the firmware",
    DOWNLOAD: "The sensor is downloading",
    DOWNLOADED: "Downloaded and verified",
    RUNNING: "Installing and restarting",
    FINISHED: "Finished, the sensor's version is being checked",
    ERROR: "The sensor reported an error",
  },
  paused: "Paused",
  waiting: "Waiting for the sensor",
  waitingOffline: "Waiting until the sensor connects",
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
    "The firmware was installed, but the sensor runs another version again. Set the firmware once more to try again.",
  resumeFailed: "The installation could not be resumed.",
  cancel: "Cancel Installation", // fixed
  canceling: "The sensor has been asked to cancel and has not answered yet",
  pastCancel: "The sensor is already installing: it can't be stopped any more",
  retry: "Try again",
  announced: (word: string, percent: number | null) => (percent === null ? word : `${word}, ${percent} percent`),
} as const;

const count = (n: number) => `${new Intl.NumberFormat("en").format(n)} sensor${n === 1 ? "" : "s"}`;

/** Sentences about taking back that a firmware was set. */
export const firmwareUndoText = {
  set: "Firmware set",
  undo: "Undo",
  done: (undone: number, begun: number) => {
    if (undone === 0) return "The installation has begun already and goes on.";
    const rest = begun === 0 ? "" : ` ${count(begun)} had begun already and go${begun === 1 ? "es" : ""} on.`;
    return `Gave ${count(undone)} the former firmware back.${rest}`;
  },
  failed: (n: number) => `The firmware of ${count(n)} could not be set back.`,
} as const;

/** Sentences of the remote functions. */
export const remoteText = {
  title: "Remote functions",
  unreachable: {
    quiet: "The sensor has no open connection right now. It can be asked when it reports again.",
    away: "The sensor is not connected. It can only be asked while it is.",
  },
  busy: "Another question to this sensor is still open",
  waiting: (leftS: number) => `Waiting for the sensor, ${seconds(leftS)} left`,
  snapshot: "Snapshot",
  snapshotHint: "A picture of what the sensor sees now, with people blurred. It is shown here only and not kept.",
  takeSnapshot: "Take snapshot",
  reload: "Reload",
  save: "Save picture",
  pictureOf: (id: string) => `Snapshot of ${id}`,
  takenAt: (time: string) => `Taken ${time}`,
  snapshotFailed: clientErrors.sensorSnapshotFailed.message,
  requestFailed: clientErrors.requestFailed.message,
  notAPicture: "The sensor's answer holds no picture.",
  notAResult: "The sensor's answer can't be read.",
  upload: "Upload test",
  uploadHint: "The sensor sends a few bytes to this platform and says how fast that went.",
  startUpload: "Start upload test",
  uploadBytes: "Sent",
  uploadTime: "Time",
  uploadSpeed: "Speed",
  uploadStatus: "HTTP status",
  uploadOk: "The sensor's upload arrived.",
  uploadRefused: "The sensor's upload was refused.",
  reset: "Network configuration",
  resetHint: "Sets the network of the sensor back to its delivery state.",
  startReset: "Reset network configuration",
  resetQuestion: (id: string) =>
    `You are about to reset the network configuration of the sensor ${id}. It loses its network settings and may stay offline until somebody sets it up on site. It falls back to the old settings if it can't reach the platform within 10 minutes. Are you sure?`,
  resetConfirm: "Reset",
  resetDone: (id: string, inS: number) => `${id} resets its network configuration in ${seconds(inS)}`,
} as const;

/** Of sensors that are asked by JSON-RPC. */
export const sensorRpcText = {
  busy: "The sensor is busy. Try again.",
  unreadable: "The sensor's answer can't be read.",
  says: (sentence: string) => `Sensor: ${sentence}`,
} as const;
