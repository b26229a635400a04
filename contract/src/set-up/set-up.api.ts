// The calls about the set-up card: how far the caller's account has come, and that a login does not want to see it any more.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";

/** What there is as far as the caller views it: facts, never what was clicked. */
const facts = z.object({
  hasSensor: z.boolean(),
  hasLocation: z.boolean(),
  /** One that has no location yet. */
  unplacedSensor: z.string().nullable(),
  /** A location that a sensor was put at. */
  placedAt: z.string().nullable(),
  /** Some sensor has counted. */
  hasCounts: z.boolean(),
  /** A location with a sensor that may be monitored: licensed for it. */
  licensedAt: z.string().nullable(),
  /** Some sensor is monitored, by its own configuration or its location's. */
  isMonitored: z.boolean(),
  /** Another login of the account, or an account below it. */
  hasColleague: z.boolean(),
});
export type SetUpFacts = z.output<typeof facts>;

/** Facts are null once it is dismissed: nothing is looked up then. */
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
