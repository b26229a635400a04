// The API call that lists customers: the direct children of an account with the state of their sensors
// (docs/rules/customers.md#list).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { pageReply } from "../kit/page.ts";
import { customerListQuery } from "./customer.query.ts";

const count = z.int().nonnegative();

/** Numbers cover the account and all accounts below it, as far as the caller may view their objects. */
const customerSchema = z.object({
  _id: z.string(),
  name: z.string(),
  /** Accounts directly below it. */
  children: count,
  sensors: count,
  /** Disconnected sensors. */
  offline: count,
  /** Sensors with an open error. */
  errors: count,
  /** Sensors with an open warning. */
  warnings: count,
  /** Sensors with an older version than the newest release that the caller may view. */
  outdated: count,
  /** Yesterday's completeness of all locations, from 0 to 1. Null if nothing was expected. */
  completeness: z.number().nullable(),
  lastSignInAt: z.string().nullable(),
});
export type Customer = z.output<typeof customerSchema>;

export const listCustomers = endpoint("listCustomers", "GET", "/v2/customer", {
  summary:
    "Direct children of an account with the state of everything at and below them, those with the worst trouble first by default",
  query: customerListQuery,
  reply: pageReply(customerSchema),
});
