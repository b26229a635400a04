// Words about the weekly report by e-mail: its switch in My account, and the page that a link in such mails opens.
const day = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" });

export const reportText = {
  card: "Emails",
  switch: "Weekly report by e-mail",
  saving: "Saving the weekly report",
  loading: "Loading",
  what: (email: string) =>
    `What your locations counted from Monday to Sunday, the change, and sensors that were blind. To ${email}, Mondays at 7:00.`,
  /** The day in the zone of the first location. */
  next: (date: string, timezone: string) =>
    `The next one comes on ${day.format(new Date(`${date}T00:00:00Z`))} (${timezone}).`,
  loadFailed: "The setting could not be loaded",
  saveFailed: "The setting could not be saved",
  title: { "weekly-report": "Weekly report", alerts: "Mails about issues" },
  ends: {
    "weekly-report": (email: string) => `${email} gets the weekly report of PS.Platform by email. This ends it.`,
    alerts: (email: string) =>
      `${email} gets mails when monitoring finds something wrong with a sensor. This ends them.`,
  },
  end: "Unsubscribe",
  confirm: "Confirm",
  confirmAgain: "Subscribe again",
  confirms: (email: string, mails: number) =>
    `${email} gets mails when monitoring finds something wrong with a sensor. Until you confirm that you want them there are ${mails} at most.`,
  confirmed: (email: string) => `You have confirmed that ${email} gets mails about issues.`,
  confirmFailed: "The address could not be confirmed",
  ended: {
    "weekly-report": (email: string) => `${email} gets no more weekly reports.`,
    alerts: (email: string) => `${email} gets no more mails about issues as an additional e-mail.`,
  },
  again: {
    "weekly-report": "You can switch it on again in My account.",
    alerts: "Logins of the owner of a location get their own mails, which its monitoring switches on or off.",
  },
  endFailed: "The mails could not be ended",
  invalidLink:
    "This link is invalid. The weekly report is switched off in My account, mails about issues in the monitoring of a location.",
  retry: "Try again",
  toConsole: "To PS.Platform",
} as const;
