// API calls that the console uses to decide which actions on accounts it offers (PE-02).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { idFilter } from "../kit/page.ts";

const standingSchema = z.object({
  _id: z.string(),
  /** Contains only the caller's id if the account is a descendant of the caller; otherwise empty. */
  parentAccounts: z.array(z.string()),
  /** Null unless a scope of the caller names this role. */
  roleId: z.string().nullable(),
  /**
   * The roles of its ancestors, in the order of the account's own `parentAccounts`. Null unless a scope of the caller names the role;
   * missing if all are null, or the caller can't view the account.
   */
  ancestorRoles: z.array(z.string().nullable()).optional(),
  /** Whether the account has undeleted child accounts. Always false if the caller has no right to delete the account. */
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

export const findCreatableTypes = endpoint("findCreation", "GET", "/rights/creation", {
  summary: "Of which types the caller may make something for at least one account in sight",
  reply: creationSchema,
});
