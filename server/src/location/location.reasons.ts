// Texts that explain refusals about locations.
import { createOwnedReasons } from "../owned/owned.reasons.ts";

export const locationReasons = {
  ...createOwnedReasons("measurement", { one: "location", many: "locations" }),
  selectionChanged: (count: number) => ({
    reason: `Selection changed: ${count} location${count === 1 ? " now matches" : "s now match"}.`,
  }),
  tooMany: (max: number) => ({
    reason: `You can change at most ${max.toLocaleString("en")} locations at once. Narrow the selection.`,
  }),
};
