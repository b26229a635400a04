// What the console asks before it offers something about accounts: how owners relate to the caller, and for whom anything can
// be made (PE-02).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { idFilter } from "../kit/page.ts";

const standingSchema = z.object({
  _id: z.string(),
  /** The caller, where the account hangs below them; nothing else about its place. */
  parentAccounts: z.array(z.string()),
  /** Only where one of the caller's own scopes names the role. */
  roleId: z.string().nullable(),
  /** Living accounts hang below it; shown to those who might delete it. */
  hasChildren: z.boolean(),
});
export type Standing = z.output<typeof standingSchema>;

export const listStandings = endpoint("listStandings", "GET", "/rights/owners", {
  summary: "How these accounts stand to the caller, in the order asked; hidden and missing ones look alike",
  query: z.strictObject({ ids: idFilter }),
  reply: z.array(standingSchema),
});

const creationSchema = z.object({
  sensor: z.boolean(),
  measurement: z.boolean(),
  artifact: z.boolean(),
  role: z.boolean(),
});

export const findCreation = endpoint("findCreation", "GET", "/rights/creation", {
  summary: "Of which types the caller may make something for at least one account in sight",
  reply: creationSchema,
});
