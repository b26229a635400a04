// Why something about locations was refused, in plain words.
import { reasonsOfOwned } from "../owned/owned.reasons.ts";

export const locationReasons = reasonsOfOwned("measurement", { one: "location", many: "locations" });
