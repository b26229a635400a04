// Texts of batches over sensors; some are fixed (docs/rules/batches.md#fixed-texts).
import { outcomeTexts } from "../../entity/batch/batch.text.ts";
import { formatCount, formatNumber } from "../../ui/text/numbers.ts";

const sensors = (count: number) => formatCount(count, "sensor");

export const sensorBatchText = {
  counted: sensors,
  setFirmware: "Set firmware",
  setOwner: "Set owner",
  setLocation: "Set location",
  setReRegistration: "Set re-registration", // fixed
  setGroups: "Set groups",
  remove: "Delete",
  title: (field: string, count: number) => `Set ${field} of ${sensors(count)}`,
  fields: {
    artifact: "firmware",
    owner: "owner",
    measID: "location",
    claimable: "re-registration",
    groups: "groups",
  },
  deleteTitle: (count: number) => `Delete ${sensors(count)}`,
  deleteQuestion: (count: number) =>
    `You are about to delete ${sensors(count)}. They lose access immediately, and you can no longer see what they counted. Are you sure?`,
  groupsOverwritten: "All previously assigned groups of the selected sensors would be overwritten.", // fixed
  firmwareHint: "Sensors of another type are not changed and are listed as failed",
  noFirmwareHint: "The sensors keep their running version. Installations in progress are canceled if still possible",
  chooseLocation: "Choose a location",
  chooseGroups: "Enter at least one group",
  locationChanges: { move: "Move to …", remove: "Remove from location" },
  groupsChanges: { add: "Add", replace: "Replace", remove: "Remove" },
  noGroupsHint: "Leave empty to remove all groups",
  started: (count: number) => `Installation started on ${sensors(count)}`,
  showProgress: "Show progress",
  showRollout: "Open rollout",
  ownerHint:
    "Sensors are removed from their location unless the new owner owns it. They get new registration codes and permanently lose their REST credentials and monitoring settings, even if you undo this. You may no longer see them afterwards",
  claimableHint: "Sensors with re-registration enabled can be registered by other users",
  noCodeHint: "Re-registration can't be enabled for sensors without a registration code",
  now: (field: string) => `${field.slice(0, 1).toUpperCase()}${field.slice(1)} now`,
  nothing: "-",
  undo: "Undo",
  undone: (count: number) => `Change undone for ${sensors(count)}`,
  undoneOwner: (count: number) =>
    `Change undone for ${sensors(count)}. Cleared settings, and locations that you can't view, are not restored.`,
  undoFailed: (count: number) => `The change could not be undone for ${sensors(count)}.`,
  noChangeOwner: "You have no permission to change the sensor's owner.",
} as const;

/** `all` is true if the selection is everything that matches the filters. */
export const sensorOutcomeTexts = (done: "updated" | "deleted", all: boolean) =>
  outcomeTexts(done, { noun: "sensor", about: "sensor", number: formatNumber, all });
