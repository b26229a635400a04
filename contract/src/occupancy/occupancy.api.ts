// API calls for occupancy: displays, their links, the ledger, and manual corrections (OC-02, OC-03).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { uuid } from "../kit/ids.ts";
import { safeText } from "../kit/safe-text.ts";
import { instant } from "../kit/time.ts";
import { occupancyLimits as limits } from "./occupancy-defaults.ts";

const locationId = z.strictObject({ id: uuid });

/** The state is `unknown` if no selected sensor can count, or if the app is off. */
export const lightStates = ["opened", "closed", "unknown"] as const;
export type LightState = (typeof lightStates)[number];

/** Sent to a display when its socket opens, and on every change. */
export const occupancyMessageSchema = z.object({
  type: z.literal("occupancy"),
  op: z.enum(["create", "update"]),
  obj: z.object({
    count: z.int(),
    maxObjects: z.int(),
    state: z.enum(lightStates),
    at: z.string(),
  }),
  /** Message number of this connection, from 1. */
  seq: z.int(),
});
export type OccupancyMessage = z.output<typeof occupancyMessageSchema>;

export const exchangeDisplayKey = endpoint("exchangeDisplayKey", "POST", "/display/{id}", {
  caller: "public",
  secret: true,
  summary: "Exchanges the sealed e-mail and password of a display's link for a token that reads this display only",
  params: locationId,
  body: z.strictObject({ k: boundedText(4096).min(1) }),
  reply: z.object({ token: z.string() }),
});

/** In a 401, `details.field` is `password` if the login failed, and `email` if the login may not view the location. */
export const checkDisplayLink = endpoint("checkDisplayLink", "POST", "/measurement/{id}/display-links", {
  secret: true,
  summary: "Checks that the sealed login of a new display link works and may view the location; creates no display",
  params: locationId,
  body: z.strictObject({ k: boundedText(4096).min(1) }),
  reply: z.object({}),
});

export const displaySchema = z.object({
  _id: z.string(),
  name: z.string(),
  timezone: z.string().nullable(),
  enabled: z.boolean(),
  frontend: z.object({
    opened: z.object({ title: z.string(), subtitle: z.string(), color: z.string() }),
    closed: z.object({ title: z.string(), subtitle: z.string(), color: z.string() }),
    logo: z.string(),
    freeSpacesText: z.string(),
    showNumberOfPeople: z.boolean(),
    restrictionTitle: z.string(),
    restrictions: z.array(z.object({ name: z.string(), active: z.boolean(), message: z.string() })),
  }),
});
export type Display = z.output<typeof displaySchema>;

/** Requires `Authorization: Bearer` with a display token or a session token. */
export const getDisplay = endpoint("getDisplay", "GET", "/display/{id}", {
  caller: "public",
  summary: "How a location's display looks; for its display tokens and for sessions that may view the location",
  params: locationId,
  reply: displaySchema,
});
export const revokeDisplayTokens = endpoint("revokeDisplayTokens", "DELETE", "/measurement/{id}/display-tokens", {
  summary: "Revokes every display token of a location; open displays close at once",
  params: locationId,
  reply: z.object({ revoked: z.int() }),
});

export const ledgerKinds = ["reset", "count", "flow", "correction", "outage"] as const;

export const ledgerEntrySchema = z.object({
  /** When the entry takes effect: at the end of a record's interval, or at the moment of a reset or correction. */
  at: z.string(),
  kind: z.enum(ledgerKinds),
  /** The sensor, for counts, flow and outages; otherwise null. */
  sens: z.string().nullable(),
  in: z.int().nullable(),
  out: z.int().nullable(),
  /** People inside after all entries with the same time. */
  count: z.int(),
  /** Why the count may be wrong, such as a time without counting. For a correction, its comment. */
  note: z.string().nullable(),
  by: z.object({ _id: z.string(), name: z.string() }).nullable(),
  quality: z.string().nullable(),
});
export type LedgerEntry = z.output<typeof ledgerEntrySchema>;

/** What the display should have shown at an instant, according to all data received since then. */
const shownSchema = z.object({
  at: z.string(),
  state: z.enum(lightStates),
  count: z.int(),
  maxObjects: z.int(),
  /** `low` and `high` are the bounds of the true count. They allow for uncounted time, late data and counting errors. */
  low: z.int(),
  high: z.int(),
  /** Why the count is unknown, or how exact it is. */
  reason: z.string(),
});

export const getOccupancyLedger = endpoint("getOccupancyLedger", "GET", "/measurement/{id}/occupancy/ledger", {
  summary: "The count of a location replayed: entries since the reset before `at`, and what was shown then",
  params: locationId,
  query: z.strictObject({
    at: instant.optional(),
  }),
  reply: z.object({
    /** Time of the reset that is the first entry. */
    since: z.string(),
    shown: shownSchema,
    course: z.array(
      z.object({ at: z.string(), count: z.int(), low: z.int(), high: z.int(), state: z.enum(lightStates) }),
    ),
    entries: z.array(ledgerEntrySchema),
  }),
});

export const correctOccupancy = endpoint("correctOccupancy", "POST", "/measurement/{id}/occupancy/corrections", {
  summary: "Sets how many people are inside now; an entry of the ledger with the name of its writer",
  params: locationId,
  body: z.strictObject({
    count: z.int().min(0).max(limits.maxObjects),
    note: safeText(200).optional(),
  }),
  reply: z.object({ _id: z.string(), at: z.string(), count: z.int() }),
});
