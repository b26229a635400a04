// Words about the weekly report by e-mail: its switch in My account, and the page that a link in each mail opens.
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
  title: "Weekly report",
  ends: (email: string) => `${email} gets the weekly report of PS.Platform by email. This ends it.`,
  end: "Unsubscribe",
  ended: (email: string) => `${email} gets no more weekly reports.`,
  again: "You can switch it on again in My account.",
  endFailed: "The weekly report could not be ended",
  invalidLink: "This link is invalid. You can switch the weekly report off in My account.",
  retry: "Try again",
  toConsole: "To PS.Platform",
} as const;
