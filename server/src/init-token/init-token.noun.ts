// Init tokens as owned things; on the wire without their secret.
import type { InitToken } from "@psp/contract/init-token/init-token.ts";
import type { OwnedNoun } from "../owned/noun.ts";
import { initTokenReasons } from "./init-token.reasons.ts";
import { findInitToken, type InitTokenRow, initTokenTable } from "./init-token.store.ts";
import { initTokenTrail, toInitToken } from "./init-token.wire.ts";

export const initTokens: OwnedNoun<"init_token", InitTokenRow, InitToken> = {
  ...initTokenTable,
  type: "init-token",
  rights: "sensor",
  reasons: initTokenReasons,
  find: findInitToken,
  toWire: toInitToken,
  trail: initTokenTrail,
};
