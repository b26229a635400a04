// Every sentence of the batches over sensors; some are fixed (docs/rules/batches.md#fixed-texts).
import { outcomeTexts } from "../../entity/batch/batch.text.ts";

const n = (count: number) => new Intl.NumberFormat("en").format(count);
const sensors = (count: number) => `${n(count)} sensor${count === 1 ? "" : "s"}`;

export const sensorBatchText = {
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
    `You are about to delete ${sensors(count)}. They lose their access at once, and what they counted can't be looked at any more. Are you sure?`,
  groupsOverwritten: "All previously assigned groups of the selected sensors would be overwritten.", // fixed
  firmwareHint: "Sensors of another type are left as they are and listed as failed",
  noFirmwareHint: "The sensors keep what they run; installations under way are cancelled where that is still possible",
  choose: "Choose one of these",
  chooseLocation: "Choose a location",
  chooseGroups: "Enter at least one group",
  whatToDo: "What to do",
  locationChanges: { move: "Move to …", remove: "Remove from location" },
  groupsChanges: { add: "Add", replace: "Replace", remove: "Remove" },
  noGroupsHint: "Left empty, the sensors lose all groups",
  started: (count: number) => `Installation started on ${sensors(count)}`,
  showProgress: "Show progress",
  showRollout: "Open rollout",
  ownerHint:
    "Sensors leave their location unless it is the new owner's, get a new registration code, and lose their REST credentials and monitoring settings for good, even if you undo this; they leave your view if you can't view those of the new owner",
  claimableHint: "Sensors with re-registration enabled can be registered by other users",
  noCodeHint: "It can't be enabled for sensors without a registration code",
  preview: "Examples",
  now: (field: string) => `${field.slice(0, 1).toUpperCase()}${field.slice(1)} now`,
  afterwards: "Afterwards",
  more: (count: number) => (count === 1 ? "and one more" : `and ${n(count)} more`),
  nothing: "-",
  changedMeanwhile: (now: number) =>
    `Selection changed: ${sensors(now)} now match${now === 1 ? "es" : ""}. Nothing has been changed yet.`,
  undo: "Undo",
  undone: (count: number) => `Took the change of ${sensors(count)} back`,
  undoneOwner: (count: number) =>
    `Took the change of ${sensors(count)} back. Cleared settings, and locations that you can't view, don't come back.`,
  undoFailed: (count: number) => `The change of ${sensors(count)} could not be taken back.`,
  noChangeOwner: "You have no permission to change the sensor's owner.",
} as const;

/** How a batch ended; `all` where everything was chosen that matches. */
export const sensorOutcome = (done: "updated" | "deleted", all: boolean) =>
  outcomeTexts(done, { noun: "sensor", about: "sensor", number: n, all });
