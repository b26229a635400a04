// API calls for accounts.
import { endpoint } from "../kit/endpoint.ts";
import { uuid } from "../kit/ids.ts";
import { ownedCalls } from "../kit/owned-calls.ts";
import { importResultSchema, importUpload } from "./account.import.ts";
import { accountListQuery } from "./account.query.ts";
import { accountChangeSchema, accountSchema, newAccountSchema } from "./account.ts";

const account = ownedCalls("Account", "/account", uuid, accountSchema);

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
 * For the caller's own account, a missing current password is 104 and a wrong one 106, both with `details.field`
 * "credentialChanges.currentPassword". Another account must be a descendant of the caller with a role no more powerful than the
 * caller's; otherwise the error is 308.
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
