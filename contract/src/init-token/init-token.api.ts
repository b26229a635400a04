// The calls about init tokens (spec 2 §7).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { idReply, orId } from "../kit/id-reply.ts";
import { uuid } from "../kit/ids.ts";
import { idFilter, pageQuery, pageReply, textFilter } from "../kit/page.ts";
import { initTokenChangeSchema, initTokenSchema, newInitTokenSchema } from "./init-token.ts";

const byId = z.strictObject({ id: uuid });

export const initTokenListQuery = z.strictObject({
  ...pageQuery(["name", "type", "owner", "firmware", "_id"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  ownerID: idFilter.optional(),
});

export const listInitTokens = endpoint({
  name: "listInitTokens",
  method: "GET",
  path: "/init_token",
  caller: "session",
  summary: "Init tokens that the caller may view; the secret only where it may be edited",
  query: initTokenListQuery,
  reply: z.union([z.array(initTokenSchema), pageReply(initTokenSchema)]),
});
export const getInitToken = endpoint({
  name: "getInitToken",
  method: "GET",
  path: "/init_token/{id}",
  caller: "session",
  summary: "One init token",
  params: byId,
  reply: initTokenSchema,
});
export const createInitToken = endpoint({
  name: "createInitToken",
  method: "POST",
  path: "/init_token",
  caller: "session",
  summary: "Makes an init token",
  body: newInitTokenSchema,
  reply: orId(initTokenSchema),
});
export const updateInitToken = endpoint({
  name: "updateInitToken",
  method: "PUT",
  path: "/init_token/{id}",
  caller: "session",
  summary: "Changes name, owner or firmware of an init token",
  params: byId,
  body: initTokenChangeSchema,
  reply: orId(initTokenSchema),
});
export const deleteInitToken = endpoint({
  name: "deleteInitToken",
  method: "DELETE",
  path: "/init_token/{id}",
  caller: "session",
  summary: "Revokes an init token; sensors that came by it stay",
  params: byId,
  reply: idReply,
});
