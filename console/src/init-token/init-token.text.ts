// Texts of the init token pages; some are fixed (docs/rules/claiming.md#fixed-texts).
import { ownedText } from "../entity/page/owned.text.ts";

export const initTokenText = {
  ...ownedText("init token", "init tokens"),
  search: "Search by name", // fixed
  name: "Name",
  type: "Sensor Type",
  firmware: "Firmware",
  create: "Create init token",
  noneTitle: "No Init Tokens existing", // fixed
  noneText: "Init tokens register sensors on first contact and set their owner and firmware.",
  noMatchTitle: "No Init Tokens found",
  oneFailed: "The init tokens could not be loaded",
  token: "Token",
  copy: (name: string) => `Copy token ${name}`,
  copied: "Token copied",
  copyFailed: "The token could not be copied.",
  noCopy: "To copy this init token, you need permission to edit it",
  nameRequired: "The name is required.", // fixed
  ownerRequired: "The owner is required.", // fixed
  noFirmware: "None",
  noFirmwareHint: "Sensors registered with this token get this firmware",
  deletedFirmware: "This firmware is either deleted or you don't have access to it", // fixed
  deleteQuestion: (name: string, owner: string) =>
    `You are about to delete the init token ${name} owned by ${owner}. Sensors already registered with it stay, but new sensors can't use it. Are you sure?`,
  noAccount: "There is no account existing that you can create a sensor token for.",
  createForEmpty: "You have no permission to create a sensor token with any existing account as owner.",
  createFailed: "Failed to create new sensor token.",
  updateFailed: "Failed to update sensor token.",
  deleteFailed: "Failed to delete sensor token.",
} as const;
