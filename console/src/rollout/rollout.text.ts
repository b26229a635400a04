// Texts of the rollout page of a firmware.
import { formatCount, formatNumber } from "../ui/text/numbers.ts";
const sensors = (count: number) => formatCount(count, "sensor");

export const rolloutText = {
  sensors,
  title: (name: string) => `Rollout of ${name}`,
  list: "Firmware",
  progress: "Progress",
  progressOf: (done: number, all: number) => `${formatNumber(done)} of ${formatNumber(all)} done`,
  nothing: "This firmware has not been set on any sensor that you can view.",
  chooseSensors: "Choose sensors",
  figures: {
    running: "Running",
    waiting: "Waiting",
    paused: "Paused",
    installing: "Installing",
    done: "Done",
    failed: "Failed",
    canceled: "Canceled",
    reverted: "Reverted",
  },
  ranBefore: (count: number) => `${sensors(count)} already ran this version.`,
  failures: "Why it failed",
  reason: "Reason",
  count: "Sensors",
  unknownReason: "No reason reported",
  otherReasons: "Other reasons",
  end: "Estimated end",
  endAt: (time: string, span: string) => `${time}, ${span}`,
  endUnknown: "Not known yet",
  endNow: "any moment now",
  endNothing: "No installations in progress on connected sensors",
  endPace: (count: number) =>
    count === 0
      ? "No installation finished in the last hour."
      : `Based on ${formatCount(count, "installation")} finished in the last hour.`,
  endLeftOut: (offline: number, paused: number) => {
    const some = [
      ...(offline === 0 ? [] : [`${sensors(offline)} that ${offline === 1 ? "is" : "are"} offline`]),
      ...(paused === 0 ? [] : [`${sensors(paused)} that ${paused === 1 ? "is" : "are"} paused`]),
    ];
    return `Not including ${some.join(" and ")}.`;
  },
  pause: "Pause",
  noPause: "No installation is waiting",
  pauseTitle: (count: number) => `Pause the installation on ${sensors(count)}`,
  pauseQuestion: (name: string, count: number) =>
    `${sensors(count)} will not install ${name} until you resume it. Installations that have already started continue. Sensors you add later are not paused.`,
  pauseIt: "Pause installation",
  resume: "Resume",
  noPaused: "No installation is paused",
  resumeTitle: (count: number) => `Resume the installation on ${sensors(count)}`,
  resumeQuestion: (name: string, count: number) => `${sensors(count)} will install ${name} once connected.`,
  resumeIt: "Resume installation",
  retry: "Retry failed",
  noFailed: "No installation has failed",
  retryTitle: (count: number) => `Retry the installation on ${sensors(count)}`,
  retryQuestion: (name: string, count: number) =>
    `${sensors(count)} on which ${name} could not be installed will try again once connected.`,
  retryIt: "Retry",
  cancel: "Cancel waiting",
  noWaiting: "No installation is waiting",
  cancelTitle: (count: number) => `Cancel the installation on ${sensors(count)}`,
  cancelQuestion: (name: string, count: number) =>
    `${name} will not be installed on ${sensors(count)} where it has not started. They keep their running version.`,
  cancelIt: "Cancel installation",
  loadFailed: "The rollout could not be loaded",
  tryAgain: "Try again",
} as const;
