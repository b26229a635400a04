// Calls, texts and rights of init tokens. Live messages never contain the secret, so cached rows keep it.
import * as api from "@psp/contract/init-token/init-token.api.ts";
import { paths } from "../address/paths.ts";
import { defineEntity, defaultRights } from "../entity/entity.ts";
import { initTokenText } from "./init-token.text.ts";

export const initToken = defineEntity({
  type: "init-token",
  calls: {
    list: api.listInitTokens,
    get: api.getInitToken,
    create: api.createInitToken,
    update: api.updateInitToken,
    remove: api.deleteInitToken,
  },
  text: initTokenText,
  nameOf: ({ name }) => name,
  paths: { list: paths.initTokens, remove: paths.deleteInitToken },
  rights: defaultRights("sensor"),
});
