// Texts that explain refusals about firmware.
import type { Actor } from "@psp/contract/permission/can.ts";
import { type NamedOwner, ownerReason, createOwnedReasons } from "../owned/owned.reasons.ts";

export const firmwareReasons = {
  ...createOwnedReasons("artifact", { one: "firmware", many: "firmware" }),
  /** The reason why the caller can't use or download the firmware (errors 309 and 310). */
  use: (caller: Actor, firmware: { name: string; owner: NamedOwner }) =>
    firmware.owner.id === caller.id
      ? { reason: "You can't use the firmware of your own account." }
      : ownerReason(caller, firmware.owner, {
          named: (name) => `Firmware ${firmware.name} belongs to ${name}, which you can't use.`,
          unnamed: `Firmware ${firmware.name} belongs to an account which you can't use.`,
        }),
  versionTaken: (type: string, version: string) => ({ reason: `The owner already has ${type} ${version}.` }),
  typeStays: (type: string) => ({ reason: `This file is for ${type}. The type of a firmware can't be changed.` }),
  emptyFile: { reason: "The file is empty." },
  noRoom: { reason: "There is no room for another version between this pre-release and its neighbors." },
};
