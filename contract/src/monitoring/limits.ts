// Ranges and defaults of the monitoring configuration (docs/rules/monitoring.md#ranges).

type Range = { min: number; max: number };

/** Allowed ranges, in days, hours, weeks or events. An error threshold (except uptime hours) must also exceed its warning threshold. */
export const monitoringRanges = {
  connection: { warning: { min: 1, max: 29 }, error: { min: 1, max: 30 } },
  dataplaus: { warning: { min: 1, max: 29 }, error: { min: 1, max: 30 }, weeks: { min: 12, max: 52 } },
  uptime: { hours: { min: 1, max: 23 }, warning: { min: 1, max: 29 }, error: { min: 1, max: 30 } },
  osd: { warning: { min: 0, max: 29 }, error: { min: 1, max: 30 } },
  reboot: { warning: { min: 1, max: 998 }, error: { min: 1, max: 999 } },
  watchdog: { warning: { min: 0, max: 998 }, error: { min: 1, max: 999 } },
} as const satisfies Record<string, Record<string, Range>>;

export const maxOtherRecipients = 20;

/** Maximum mails to an additional recipient who has not confirmed the subscription (T-20). */
export const maxUnconfirmedMails = 20;

export const weekDays = ["mo", "tu", "we", "th", "fr", "sa", "su"] as const;
export type WeekDay = (typeof weekDays)[number];

export const monitoringServices = ["connection", "dataplaus", "uptime", "osd", "reboot", "watchdog"] as const;
export type MonitoringService = (typeof monitoringServices)[number];

/** Messages of the form. They are fixed texts (docs/rules/monitoring.md#fixed-texts). */
export const monitoringMessages = {
  thresholdInteger: "Threshold should be integer",
  thresholdRequired: "Threshold is required",
  integer: "Should be integer",
  required: "Required",
  thresholdRange: "Threshold should be >=1 and <30",
  emails: "All emails must be valid e-mails",
  /** Unlike the other messages, this one is not a fixed text. */
  range: ({ min, max }: Range) => `Enter a number from ${min} to ${max}`,
  aboveWarning: "Must be greater than the warning",
  tooMany: `Enter at most ${maxOtherRecipients} email addresses`,
} as const;

/** Initial configuration (docs/rules/monitoring.md#defaults). */
export const monitoringDefaults = {
  alert: { email: { onWarning: true, onError: true, toOwner: true, toOther: [] as string[] } },
  activeWeekDays: { mo: true, tu: true, we: true, th: true, fr: true, sa: true, su: true },
  connection: { enabled: true, warningThreshold: 1, errorThreshold: 2 },
  dataplaus: { enabled: true, warningThreshold: 1, errorThreshold: 2, filterWindowInWeeks: 12 },
  uptime: {
    enabled: true,
    warningAverageTime: 5,
    warningRepeatingTime: 5,
    errorAverageTime: 3,
    errorRepeatingTime: 6,
  },
  osd: { enabled: true, warningThreshold: 0, errorThreshold: 3 },
  reboot: { enabled: true, warningThreshold: 3, errorThreshold: 5 },
  watchdog: { enabled: true, warningThreshold: 1, errorThreshold: 3 },
};
