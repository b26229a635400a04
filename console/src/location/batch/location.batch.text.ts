// Texts of location batches; some are fixed: docs/rules/locations.md#fixed-texts
import { openingText } from "../../opening/opening.text.ts";
import { outcomeTexts } from "../../entity/batch/batch.text.ts";
import type { BatchTexts } from "../../ui/batch/BatchOutcome.tsx";
import { formatCount, formatNumber as n } from "../../ui/text/numbers.ts";

const locations = (count: number) => formatCount(count, "location");

export const locationBatchText = {
  counted: locations,
  setOwner: "Set owner", // fixed
  setAddress: "Set address", // fixed
  editTags: "Edit tags", // fixed
  setHours: openingText.title,
  remove: "Delete", // fixed
  ownerTitle: (count: number) => `Set owner of ${locations(count)}`,
  addressTitle: (count: number) => `Set address of ${locations(count)}`,
  hoursTitle: (count: number) => `Opening hours of ${locations(count)}`,
  inheritHours: "Default of the owner account",
  inheritHint: "Each location uses the opening hours of its owner account.",
  tagsTitle: (count: number) => `Edit tags of ${locations(count)}`,
  tagsWays: { add: "Add", remove: "Remove", replace: "Replace" },
  tagsHints: {
    add: "Added to the existing tags of each location",
    remove: "Removed from locations that have them",
    replace: "Leave empty to remove all tags",
  },
  tagsOverwritten: "This overwrites all tags of the selected locations.",
  tagsNow: "Current tags",
  noTags: "-",
  chooseTags: "Enter at least one tag",
  undo: "Undo",
  undone: (count: number) => (count === 0 ? "There was nothing to undo" : `Change undone for ${locations(count)}`),
  undoNotDone: "The change could not be undone.",
  undoFailed: (count: number) => `The change could not be undone for ${locations(count)}.`,
  deleteTitle: (count: number) => `Delete ${locations(count)}`,
  deleteQuestion: (count: number) =>
    `You are about to delete ${locations(count)}. Their sensors are kept without a location, with all their data. Are you sure?`,
  ownerHint: "Accounts you can hand over locations to",
  found: (zone: string | null) => (zone === null ? "No known time zone" : `Time zone ${zone}`),
  noEdit: "You have no permission to edit any location.",
  noChangeOwner: "You have no permission to change the location's owner.",
  noDelete: "You have no permission to delete any location.",
} as const;

export const updatedTexts: BatchTexts = {
  success: (count) => `Successfully updated all ${n(count)} locations!`, // fixed
  partial: (failed, count) =>
    `${n(failed)} locations failed to update! ${n(count)} locations were updated successfully.`, // fixed
  failedTitle: "Saving Failed", // fixed
  about: "measurement",
};

/** `all`: whether all matching locations were selected. */
export const deletedTexts = (all: boolean) =>
  outcomeTexts("deleted", { noun: "location", about: "measurement", number: n, all });
