// What an init token is to the rest of the console. Live messages never carry the secret, so the rows keep the one they have.
import * as api from "@psp/contract/init-token/init-token.api.ts";
import { paths } from "../address/paths.ts";
import { defineEntity, plainRights } from "../entity/entity.ts";
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
  // Tokens count as sensors.
  rights: plainRights("sensor"),
});
