// Texts that explain refusals about locations.
import { createOwnedReasons } from "../owned/owned.reasons.ts";

export const locationReasons = {
  ...createOwnedReasons("measurement", { one: "location", many: "locations" }),
  selectionChanged: (count: number) => ({
    reason: `Selection changed: ${count} location${count === 1 ? " now matches" : "s now match"}.`,
  }),
  tooManyTags: (count: number, max: number) => ({
    reason: `It would have ${count} tags. A location can have at most ${max}.`,
  }),
  addedAndRemoved: (tag: string) => ({ field: "changes.tags", reason: `The tag '${tag}' is both added and removed.` }),
  tooMany: (max: number) => ({
    reason: `You can change at most ${max.toLocaleString("en")} locations at once. Narrow the selection.`,
  }),
};
