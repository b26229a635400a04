// Texts of the monitoring form of locations and sensors; some are fixed: docs/rules/monitoring.md#fixed-texts
import {
  maxOtherRecipients,
  type MonitoringService,
  maxUnconfirmedMails,
  type WeekDay,
} from "@psp/contract/monitoring/limits.ts";

const explained: Record<MonitoringService, string> = {
  connection:
    "Checks whether the sensor is online. Warns you when it has been offline for this many days (24 hours each).",
  dataplaus:
    "Compares each day with the same weekday of earlier weeks. Warns you when the counts were unusual for this many days in a row.",
  uptime:
    "Checks how many hours a day the sensor runs. Warns you when the average of the last days falls below this many hours.",
  osd: "Checks whether the sensor's view is covered, too dark or too bright. Warns you when this has lasted for this many days (0 means immediately).",
  reboot: "Counts the sensor's restarts. Warns you at this many restarts within 24 hours.",
  watchdog:
    "Counts resets by the watchdog, which restarts a sensor that hangs. Warns you at this many resets within 24 hours.",
};

const services: Record<MonitoringService, string> = {
  connection: "Connection",
  dataplaus: "Data plausibility", // fixed
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
    warningThreshold: "Warning threshold", // fixed
    errorThreshold: "Error threshold", // fixed
    filterWindowInWeeks: "Filter window",
    warningAverageTime: "Warning threshold", // fixed
    warningRepeatingTime: "Average over (warning)",
    errorAverageTime: "Error threshold", // fixed
    errorRepeatingTime: "Average over (error)",
  },
  units: { days: "days", hours: "hours a day", weeks: "weeks", events: "in 24 hours" },

  locationOn: "These settings apply to all monitored sensors at this location, except sensors with their own settings.",
  locationOff: "Monitoring is off for this location. Sensors with their own settings are still monitored.",
  sensorOn: "This sensor has its own settings. Turn this off to use the settings of its location.",
  sensorInherits: "This sensor uses the settings of its location",
  sensorNothing: "Monitoring is off for its location, so this sensor is not monitored.",
  sensorUnknown: "You don't have access to this location, so its settings can't be shown.",
  inherited: "From the location",

  alerts: "Email alerts",
  onWarning: "On warning",
  onError: "On error",
  toOwner: "To owners",
  toOther: "Additional e-mails", // fixed
  toOtherHint: `Press Enter after each email address, up to ${maxOtherRecipients}. An unconfirmed address gets at most ${maxUnconfirmedMails} emails. Its owner confirms it with the link in any of them.`,
  weekDays: "Active weekdays",
  weekDaysHint:
    "No emails are sent on other days. Issues that are still open are sent at the start of the next active day, in the location's time zone.",
  weekDay: weekDays,

  changed: "Monitoring settings saved",
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
      `Warning ${Number(warning) === 0 ? "immediately" : `after ${days(warning)}`}, error after ${days(error)}`,
    window: (weeks: string) => `compared with ${weeks} weeks`,
    events: (warning: string, error: string) => `Warning at ${warning}, error at ${error} in 24 hours`,
    uptime: (warning: readonly [string, string], error: readonly [string, string]) =>
      `Warning below ${warning[0]} h a day on average over ${days(warning[1])}, error below ${error[0]} h over ${days(error[1])}`,
  },
} as const;
