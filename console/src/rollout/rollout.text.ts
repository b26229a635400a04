// Every sentence of the page about the rollout of one firmware.
const n = (count: number) => new Intl.NumberFormat("en").format(count);
const sensors = (count: number) => `${n(count)} sensor${count === 1 ? "" : "s"}`;

export const rolloutText = {
  sensors,
  title: (name: string) => `Rollout of ${name}`,
  list: "Firmware",
  progress: "Progress",
  progressOf: (done: number, all: number) => `${n(done)} of ${n(all)} done`,
  nothing: "No sensor that you can view has been given this firmware.",
  chooseSensors: "Choose sensors",
  figures: {
    running: "Running it",
    waiting: "Waiting",
    paused: "Paused",
    installing: "Installing",
    done: "Done",
    failed: "Failed",
    canceled: "Canceled",
    reverted: "Reverted",
  },
  ranBefore: (count: number) => `${sensors(count)} ran this version before it was set.`,
  failures: "Why it failed",
  reason: "Reason",
  count: "Sensors",
  unknownReason: "No reason was reported",
  otherReasons: "Other reasons",
  end: "Estimated end",
  endAt: (time: string, span: string) => `${time}, ${span}`,
  endUnknown: "Not known yet",
  endNow: "any moment now",
  endNothing: "Nothing is under way on connected sensors",
  endPace: (count: number) =>
    count === 0
      ? "No installation was done within the last hour."
      : `At the pace of ${count === 1 ? "the installation" : `${n(count)} installations`} done within the last hour.`,
  endLeftOut: (offline: number, paused: number) => {
    const some = [
      ...(offline === 0 ? [] : [`${sensors(offline)} that ${offline === 1 ? "is" : "are"} offline`]),
      ...(paused === 0 ? [] : [`${sensors(paused)} that ${paused === 1 ? "is" : "are"} paused`]),
    ];
    return `Without ${some.join(" and ")}.`;
  },
  pause: "Pause",
  noPause: "No installation is waiting",
  pauseTitle: (count: number) => `Pause the installation on ${sensors(count)}`,
  pauseQuestion: (name: string, count: number) =>
    `${name} is held back on ${sensors(count)} until it is resumed, also when they connect. What has begun goes on. Sensors that are given it later are not paused.`,
  pauseIt: "Pause installation",
  resume: "Resume",
  noPaused: "No installation is paused",
  resumeTitle: (count: number) => `Resume the installation on ${sensors(count)}`,
  resumeQuestion: (name: string, count: number) =>
    `${name} is installed on ${sensors(count)} again, on each as soon as it is connected.`,
  resumeIt: "Resume installation",
  retry: "Retry failed",
  noFailed: "No installation has failed",
  retryTitle: (count: number) => `Retry the installation on ${sensors(count)}`,
  retryQuestion: (name: string, count: number) =>
    `${name} is set again on ${sensors(count)} on which its installation failed. Each begins when it is connected.`,
  retryIt: "Retry",
  cancel: "Cancel waiting",
  noWaiting: "No installation is waiting",
  cancelTitle: (count: number) => `Cancel the installation on ${sensors(count)}`,
  cancelQuestion: (name: string, count: number) =>
    `${name} is taken from ${sensors(count)} on which its installation has not begun. They go on running what they run.`,
  cancelIt: "Cancel installation",
  loadFailed: "The rollout could not be loaded",
  tryAgain: "Try again",
} as const;
