// The calls about accounts (spec 1 §7).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { idReply, orId } from "../kit/id-reply.ts";
import { uuid } from "../kit/ids.ts";
import { idFilter, pageQuery, pageReply, queryFlag, queryInt, repeatable, textFilter } from "../kit/page.ts";
import { ownerChoices } from "../permission/standing.ts";
import { importResultSchema, importUpload } from "./account.import.ts";
import { accountChangeSchema, accountSchema, newAccountSchema } from "./account.ts";

const byId = z.strictObject({ id: uuid });

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

export const listAccounts = endpoint({
  name: "listAccounts",
  method: "GET",
  path: "/account",
  caller: "session",
  summary: "Accounts that the caller may view; an array, or objects with total on request",
  query: accountListQuery,
  reply: z.union([z.array(accountSchema), pageReply(accountSchema)]),
});
export const getAccount = endpoint({
  name: "getAccount",
  method: "GET",
  path: "/account/{id}",
  caller: "session",
  summary: "One account",
  params: byId,
  reply: accountSchema,
});
export const createAccount = endpoint({
  name: "createAccount",
  method: "POST",
  path: "/account",
  caller: "session",
  summary: "Makes a child of the caller's account and sends the invitation",
  body: newAccountSchema,
  reply: orId(accountSchema),
});
/**
 * Changes of logins: on one's own account 104 without the present password and 106 with a wrong one, both with
 * `details.field` "credentialChanges.currentPassword"; on any other 308 unless it lies below the caller and its role is no
 * more powerful.
 */
export const updateAccount = endpoint({
  name: "updateAccount",
  method: "PUT",
  path: "/account/{id}",
  caller: "session",
  summary: "Changes name, role, address or credentials; omitted fields stay",
  params: byId,
  body: accountChangeSchema,
  reply: orId(accountSchema),
});
export const deleteAccount = endpoint({
  name: "deleteAccount",
  method: "DELETE",
  path: "/account/{id}",
  caller: "session",
  summary: "Soft-deletes an account without living children and ends its sessions",
  params: byId,
  reply: idReply,
});
export const importAccounts = endpoint({
  name: "importAccounts",
  method: "POST",
  path: "/import/sap",
  caller: "session",
  summary: "Makes an account of every new row of an SAP export (CSV) and sends the invitations",
  upload: importUpload,
  reply: importResultSchema,
});
