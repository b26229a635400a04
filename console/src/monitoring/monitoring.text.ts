// Texts of the monitoring form of locations and sensors; some are fixed: docs/rules/monitoring.md#fixed-texts
import {
  maxOtherRecipients,
  type Service,
  maxUnconfirmedMails,
  type WeekDay,
} from "@psp/contract/monitoring/limits.ts";

/** What each check looks at, and what its numbers mean. */
const explained: Record<Service, string> = {
  connection:
    "Checks that the sensor is in contact. Warning and error come once it has been offline for that many days of 24 hours.",
  dataplaus:
    "Compares each finished day with the same weekdays of the weeks before. Warning and error come once that many days in a row were far from what is usual.",
  uptime:
    "Checks how many hours a day the sensor runs. Warning and error come when the average of the last days is below so many hours.",
  osd: "Checks whether the sensor's view is covered, too dark or too bright. Warning and error come once that has lasted for so many days; 0 is at once.",
  reboot: "Counts restarts of the sensor. Warning and error come when there were that many within 24 hours.",
  watchdog:
    "Counts resets by the watchdog, which restarts a sensor that hangs. Warning and error come when there were that many within 24 hours.",
};

const services: Record<Service, string> = {
  connection: "Connection",
  dataplaus: "Data plausibility",
  uptime: "Uptime",
  osd: "OSD",
  reboot: "Reboot",
  watchdog: "Watchdog",
};

const weekDays: Record<WeekDay, string> = {
  mo: "Monday",
  tu: "Tuesday",
  we: "Wednesday",
  th: "Thursday",
  fr: "Friday",
  sa: "Saturday",
  su: "Sunday",
};

const days = (n: string) => `${n} ${Number(n) === 1 ? "day" : "days"}`;

export const monitoringText = {
  monitoring: "Monitoring",
  services,
  explained,
  enabled: "Enabled",
  figures: {
    warningThreshold: "Warning threshold",
    errorThreshold: "Error threshold",
    filterWindowInWeeks: "Filter window",
    warningAverageTime: "Warning threshold",
    warningRepeatingTime: "Warning days",
    errorAverageTime: "Error threshold",
    errorRepeatingTime: "Error days",
  },
  units: { days: "days", hours: "hours a day", weeks: "weeks", events: "in 24 hours" },

  locationOn:
    "The monitored sensors of this location are checked as set below. A sensor may have its own configuration.",
  locationOff: "Monitoring is off for this location. A sensor with a configuration of its own is checked all the same.",
  sensorOn: "This sensor has its own configuration. Switch it off to go back to that of its location.",
  sensorInherits: "This sensor has no configuration of its own: it inherits from its location",
  sensorNothing: "Its location has none either, so this sensor is not monitored.",
  sensorUnknown: "You can't view that location, so what is inherited can't be shown.",
  inherited: "Inherited from the location",

  alerts: "E-mail alerts",
  onWarning: "On warning",
  onError: "On error",
  toOwner: "To owners",
  toOther: "Additional e-mails",
  toOtherHint: `Press Enter after each e-mail; at most ${maxOtherRecipients}. Each gets ${maxUnconfirmedMails} mails at most until its holder confirms by the link in them.`,
  weekDays: "Active weekdays",
  weekDaysHint:
    "On other days no e-mail is sent. What came up on one of them and still holds is sent when the next active day begins, in the time zone of the location.",
  weekDay: weekDays,

  changed: "Monitoring changed",
  on: "on",
  off: "off",
  summary: {
    noMails: "none",
    when: { both: "On warning and error", warning: "On warning", error: "On error" },
    owners: "to owners",
    others: (count: number) => (count === 1 ? "to 1 more address" : `to ${count} more addresses`),
    everyDay: "every day",
    noDay: "on no day",
    days: (warning: string, error: string) =>
      `Warning ${Number(warning) === 0 ? "at once" : `after ${days(warning)}`}, error after ${days(error)}`,
    window: (weeks: string) => `compared with ${weeks} weeks`,
    events: (warning: string, error: string) => `Warning at ${warning}, error at ${error} in 24 hours`,
    uptime: (warning: readonly [string, string], error: readonly [string, string]) =>
      `Warning below ${warning[0]} h over ${days(warning[1])}, error below ${error[0]} h over ${days(error[1])}`,
  },
} as const;
