// The calls about accounts (spec 1 §7).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { uuid } from "../kit/ids.ts";
import { ownedCalls } from "../kit/owned-calls.ts";
import { idFilter, pageQuery, queryFlag, queryInt, repeatable, textFilter } from "../kit/page.ts";
import { ownerChoices } from "../permission/standing.ts";
import { importResultSchema, importUpload } from "./account.import.ts";
import { accountChangeSchema, accountSchema, newAccountSchema } from "./account.ts";

const account = ownedCalls("Account", "/account", uuid, accountSchema);

export const accountListQuery = z.strictObject({
  ...pageQuery(["name", "role", "createdAt", "_id"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  email: textFilter.optional(),
  roleID: idFilter.optional(),
  accountState: repeatable(queryInt(-2, 2) as z.ZodType<number, string>).optional(),
  parentID: idFilter.optional(),
  /** All but these. */
  exclude: idFilter.optional(),
  /** Only those whose parent is missing from the caller's view or excluded: where a tree begins. */
  topLevel: queryFlag.optional(),
  /** Only those that the caller may choose for this. */
  choice: z.enum(ownerChoices).optional(),
  /** Stays among the choices whatever the rights say: what is chosen now. */
  keep: uuid.optional(),
});

export const listAccounts = account.list(
  "listAccounts",
  accountListQuery,
  "Accounts that the caller may view; an array, or objects with total on request",
);
export const getAccount = account.get("One account");
export const createAccount = account.create(
  newAccountSchema,
  "Makes a child of the caller's account and sends the invitation",
);
/**
 * Changes of logins: on one's own account 104 without the current password and 106 with a wrong one, both with
 * `details.field` "credentialChanges.currentPassword"; on any other 308 unless it lies below the caller and its role is no
 * more powerful.
 */
export const updateAccount = account.update(
  accountChangeSchema,
  "Changes name, role, address or credentials; omitted fields stay",
);
export const deleteAccount = account.remove("Soft-deletes an account without living children and ends its sessions");
export const importAccounts = endpoint("importAccounts", "POST", "/import/sap", {
  summary: "Makes an account of every new row of an SAP export (CSV) and sends the invitations",
  upload: importUpload,
  reply: importResultSchema,
});
