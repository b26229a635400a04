// API calls for init tokens.
import { z } from "zod";
import { uuid } from "../kit/ids.ts";
import { ownedCalls } from "../kit/owned-calls.ts";
import { idFilter, pageQuery, textFilter } from "../kit/page.ts";
import { initTokenChangeSchema, initTokenSchema, newInitTokenSchema } from "./init-token.ts";

const initToken = ownedCalls("InitToken", "/init_token", uuid, initTokenSchema, { secret: true });

export const initTokenListQuery = z.strictObject({
  ...pageQuery(["name", "type", "owner", "firmware", "_id"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  ownerID: idFilter.optional(),
});

export const listInitTokens = initToken.list(
  "listInitTokens",
  initTokenListQuery,
  "Init tokens that the caller may view; the secret only where it may be edited",
);
export const getInitToken = initToken.get("One init token");
export const createInitToken = initToken.create(newInitTokenSchema, "Makes an init token");
export const updateInitToken = initToken.update(
  initTokenChangeSchema,
  "Changes name, owner or firmware of an init token",
);
export const deleteInitToken = initToken.remove("Revokes an init token; sensors that came by it stay");
