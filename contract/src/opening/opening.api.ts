// API calls for opening hours: the default of an account, the hours of a location day by day, and calendars of public holidays.
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { endpoint } from "../kit/endpoint.ts";
import { uuid } from "../kit/ids.ts";
import { queryInt } from "../kit/page.ts";
import { openingHoursInput, openingHoursSchema, storedRange } from "./opening-hours.ts";

const accountHours = z.object({ openingHours: openingHoursSchema.nullable() });

export const getAccountOpeningHours = endpoint("getAccountOpeningHours", "GET", "/account/{id}/opening-hours", {
  summary: "The default opening hours of an account's locations; null means always open",
  params: z.strictObject({ id: uuid }),
  reply: accountHours,
});
export const setAccountOpeningHours = endpoint("setAccountOpeningHours", "PUT", "/account/{id}/opening-hours", {
  summary: "Sets or clears the default opening hours of an account's locations; requires the right to edit the account",
  params: z.strictObject({ id: uuid }),
  body: z.strictObject({ openingHours: openingHoursInput.nullable() }),
  reply: accountHours,
});

export const maxPreviewDays = 400;

export const getLocationOpeningDays = endpoint("getLocationOpeningDays", "GET", "/v2/measurement/{id}/opening-days", {
  summary:
    "What applies at a location on each day: the hours that start then, and the exception or holiday that causes them",
  params: z.strictObject({ id: uuid }),
  query: z.strictObject({
    /** The first day, `YYYY-MM-DD`; today at the location if omitted. */
    from: z.iso.date().optional(),
    days: queryInt(1, maxPreviewDays).optional(),
  }),
  reply: z.object({
    /** Whose hours apply; null means always open. */
    inheritedFrom: z.enum(["location", "account"]).nullable(),
    /** The hours that apply, the location's own or those of its owner account. */
    openingHours: openingHoursSchema.nullable(),
    days: z.array(
      z.object({
        date: z.string(),
        source: z.enum(["week", "exception", "holiday"]),
        name: z.string().nullable(),
        hours: z.array(storedRange),
      }),
    ),
  }),
});

const country = boundedText(2).regex(/^[A-Z]{2}$/);
const region = boundedText(40).min(1);

export const listHolidayCalendars = endpoint("listHolidayCalendars", "GET", "/v2/holidays/calendars", {
  summary: "Countries whose public holidays are known, with their regions",
  reply: z.array(
    z.object({
      country: z.string(),
      name: z.string(),
      regions: z.array(z.object({ region: z.string(), name: z.string() })),
    }),
  ),
});
export const listHolidays = endpoint("listHolidays", "GET", "/v2/holidays", {
  summary: "Public holidays of a country or region in a year",
  query: z.strictObject({ country, region: region.optional(), year: queryInt(2000, 2099) }),
  reply: z.array(z.object({ date: z.string(), name: z.string() })),
});
