// What an init token is to the rest of the console. Live messages never carry the secret, so the rows keep the one they have.
import {
  createInitToken,
  deleteInitToken,
  getInitToken,
  listInitTokens,
  updateInitToken,
} from "@psp/contract/init-token/init-token.api.ts";
import { paths } from "../address/paths.ts";
import { defineEntity, plainRights } from "../entity/entity.ts";
import { initTokenText } from "./init-token.text.ts";

export const initToken = defineEntity({
  type: "init-token",
  calls: {
    list: listInitTokens,
    get: getInitToken,
    create: createInitToken,
    update: updateInitToken,
    remove: deleteInitToken,
  },
  text: initTokenText,
  nameOf: ({ name }) => name,
  paths: { list: paths.initTokens, remove: paths.deleteInitToken },
  // Tokens count as sensors.
  rights: plainRights("sensor"),
});
