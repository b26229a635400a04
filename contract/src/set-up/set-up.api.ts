// API calls for the set-up card: the progress of the caller's account, and dismissal for the caller's login.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";

/** Derived from the objects that the caller may see, not from clicks. */
const facts = z.object({
  hasSensor: z.boolean(),
  hasLocation: z.boolean(),
  unplacedSensor: z.string().nullable(),
  placedAt: z.string().nullable(),
  hasCounts: z.boolean(),
  licensedAt: z.string().nullable(),
  /** Whether any sensor is monitored, by its own configuration or its location's. */
  isMonitored: z.boolean(),
  /** Whether the account has another login or a child account. */
  hasColleague: z.boolean(),
});
export type SetUpFacts = z.output<typeof facts>;

/** `facts` is null if the card was dismissed. */
const setUp = z.object({ dismissed: z.boolean(), facts: facts.nullable() });
export type SetUp = z.output<typeof setUp>;

export const getSetUp = endpoint("getSetUp", "GET", "/auth/set-up", {
  summary: "How far the caller's account is set up, unless the caller's login has dismissed the card",
  reply: setUp,
});
export const dismissSetUp = endpoint("dismissSetUp", "PUT", "/auth/set-up", {
  summary: "Dismisses the set-up card for the caller's login, or brings it back",
  body: z.strictObject({ dismissed: z.boolean() }),
  reply: setUp,
});
