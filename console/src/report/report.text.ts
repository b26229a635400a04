// Texts of the weekly report's switch in My account, and of the page for unsubscribe and confirmation links in mails.
const day = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" });

export const reportText = {
  card: "Emails",
  switch: "Weekly report by e-mail", // fixed
  saving: "Saving the weekly report",
  loading: "Loading",
  what: (email: string) =>
    `Counts of your locations from Monday to Sunday, changes, and sensors that could not count. Sent to ${email} on Mondays at 7:00.`,
  /** `date` is the day in the time zone of the first location. */
  next: (date: string, timezone: string) => `Next report: ${day.format(new Date(`${date}T00:00:00Z`))} (${timezone})`,
  loadFailed: "The setting could not be loaded",
  saveFailed: "The setting could not be saved",
  title: { "weekly-report": "Weekly report", report: "Report by email", alerts: "Emails about issues" },
  ends: {
    "weekly-report": (email: string) => `${email} gets the weekly report from PS.Platform. Unsubscribe to stop it.`,
    report: (email: string) => `${email} gets a report from PS.Platform. Unsubscribe to stop it.`,
    alerts: (email: string) =>
      `${email} gets emails when monitoring finds a problem with a sensor. Unsubscribe to stop them.`,
  },
  endsReport: (email: string, name: string) =>
    `${email} gets the report “${name}” from PS.Platform. Unsubscribe to stop it.`,
  confirmsReport: (email: string, name: string) =>
    `The report “${name}” from PS.Platform will be sent to ${email} once you confirm. You can unsubscribe at any time.`,
  confirmedReport: (email: string, name: string) => `Confirmed. ${email} gets the report “${name}”.`,
  goneReport: "This report no longer exists, or you are not one of its recipients.",
  end: "Unsubscribe",
  confirm: "Confirm",
  confirmAgain: "Subscribe again",
  confirms: (email: string, mails: number) =>
    `${email} gets emails when monitoring finds a problem with a sensor. Until you confirm that you want them, it gets at most ${mails} emails.`,
  confirmed: (email: string) => `Confirmed. ${email} gets emails about issues.`,
  confirmFailed: "The address could not be confirmed",
  ended: {
    "weekly-report": (email: string) => `${email} no longer gets the weekly report.`,
    report: (email: string) => `${email} no longer gets this report.`,
    alerts: (email: string) => `${email} no longer gets emails about issues as an additional email address.`,
  },
  again: {
    "weekly-report": "You can turn it on again in My account.",
    report: "To get it again, contact the account that sent it to you.",
    alerts:
      "If you also have a login for the account that owns the location, you may still get emails there. Turn them on or off in the location's monitoring settings.",
  },
  endFailed: "You could not be unsubscribed",
  invalidLink:
    "This link is invalid. Turn off the weekly report in My account, and emails about issues in a location's monitoring settings.",
  retry: "Try again",
  toConsole: "Go to PS.Platform",
} as const;
