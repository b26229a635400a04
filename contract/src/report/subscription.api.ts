// API calls for the switch of the weekly report, and for the links in mails by which recipients confirm or unsubscribe
// (docs/rules/reports.md#recipients).
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { endpoint } from "../kit/endpoint.ts";

const subscription = z.object({
  enabled: z.boolean(),
  /** When the next report is due; null if the report is off. */
  nextAt: z.string().nullable(),
  /** Zone of the account's first location; reports are sent on Mondays in this zone. */
  timezone: z.string(),
});
export type WeeklyReport = z.output<typeof subscription>;

export const getWeeklyReport = endpoint("getWeeklyReport", "GET", "/auth/weekly-report", {
  summary: "Whether the caller's login gets the weekly report by email, and when the next one is due",
  reply: subscription,
});
export const setWeeklyReport = endpoint("setWeeklyReport", "PUT", "/auth/weekly-report", {
  perMinute: 30,
  summary: "Switches the weekly report of the caller's login on or off",
  body: z.strictObject({ enabled: z.boolean() }),
  reply: subscription,
});

/** The token of a mailed link. An invalid one is 102 with `details.field` "token". */
const token = boundedText(600);
const ending = z.object({
  email: z.string(),
  enabled: z.boolean(),
  /** What the link is about: the weekly report of a login, another report, or issue mails to an additional address. */
  about: z.enum(["weekly-report", "report", "alerts"]),
  /** Whether the recipient has confirmed the subscription; always true for the weekly report. */
  confirmed: z.boolean(),
  /** The name of the report. */
  name: z.string().optional(),
  /** The only thing that a link about a report can do; links about other mails can do both. */
  purpose: z.enum(["confirm", "end"]).optional(),
});
export type MailSubscription = z.output<typeof ending>;

export const getMailSubscription = endpoint("getReportEnding", "GET", "/report/unsubscribe", {
  caller: "public",
  summary: "What the link in a mail would end or confirm: a report, or mails about issues; changes nothing",
  query: z.strictObject({ token }),
  reply: ending,
});
export const unsubscribe = endpoint("unsubscribe", "POST", "/report/unsubscribe", {
  caller: "public",
  summary: "Ends the mails that the link is about, to the address that it was mailed to",
  body: z.strictObject({ token }),
  reply: ending,
});
export const confirmMails = endpoint("confirmAlerts", "POST", "/report/confirm", {
  caller: "public",
  summary: "Confirms that the holder of an address wants mails about issues or a report, also after having ended them",
  body: z.strictObject({ token }),
  reply: ending,
});
