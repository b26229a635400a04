// Why something about init tokens was refused, in plain words.
import { reasonsOfOwned } from "../owned/owned.reasons.ts";

export const initTokenReasons = reasonsOfOwned("sensor", { one: "init token", many: "init tokens" });
