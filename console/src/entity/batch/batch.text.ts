// Texts that the batch dialogs of all types share (docs/rules/console.md#batch-dialogs).
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import type { BatchTexts } from "../../ui/batch/BatchOutcome.tsx";

const words = {
  updated: { failed: "failed to update", failedTitle: "Saving Failed" }, // fixed
  deleted: { failed: "failed to get deleted", failedTitle: "Deletion Failed" }, // fixed
} as const;

type Outcome = {
  /** As in "2 role(s)". */
  noun: string;
  about: NamedObject["type"];
  number?: (count: number) => string;
  /** Whether the success message contains "all"; default true. */
  all?: boolean;
};

export function outcomeTexts(
  done: keyof typeof words,
  { noun, about, number = String, all = true }: Outcome,
): Omit<Required<BatchTexts>, "after"> {
  const { failed, failedTitle } = words[done];
  return {
    success: (count) => `Successfully ${done} ${all ? "all " : ""}${number(count)} ${noun}(s)!`,
    partial: (refused, count) =>
      `${number(refused)} ${noun}(s) ${failed}! ${number(count)} ${noun}(s) was/were ${done} successfully.`,
    failedTitle,
    about,
  };
}

/** `counted` as in "3 sensors". */
export const selectionChangedText = (counted: string, count: number) =>
  `Selection changed: ${counted} now match${count === 1 ? "es" : ""}. Nothing has been changed yet.`;

export const noChangesText = "No changes specified"; // fixed

/** Texts of batches over owned objects; `many` as in "2 roles", `plural` as in "hand over roles". */
export const ownedBatchText = {
  setOwner: "Set owner",
  setOwnerTitle: (many: string) => `Set the owner of ${many}`,
  setOwnerHint: (plural: string) => `Accounts you can hand over ${plural} to.`,
  noChangeOwner: "You have no permission to change the owner.",
  wrongOwner: (type: string, id: string, owner: string) =>
    `This ${type} ${id} can't be assigned to this owner ${owner}`,
  deleteMany: "Delete",
  deleteManyTitle: (many: string) => `Delete ${many}`,
  noDeleteAny: (plural: string) => `You don't have permission to delete ${plural}`,
} as const;
