// Texts that explain refusals about firmware.
import type { Actor } from "@psp/contract/permission/can.ts";
import { type NamedOwner, ownerReason, reasonsOfOwned } from "../owned/owned.reasons.ts";

export const firmwareReasons = {
  ...reasonsOfOwned("artifact", { one: "firmware", many: "firmware" }),
  /** For 309. */
  use: (caller: Actor, firmware: { name: string; owner: NamedOwner }) =>
    firmware.owner.id === caller.id
      ? { reason: "You can't use the firmware of your own account." }
      : ownerReason(caller, firmware.owner, {
          named: (name) => `Firmware ${firmware.name} belongs to ${name}, which you can't use.`,
          unnamed: `Firmware ${firmware.name} belongs to an account which you can't use.`,
        }),
  versionTaken: (type: string, version: string) => ({ reason: `Its owner has ${type} ${version} already.` }),
  typeStays: (type: string) => ({ reason: `The file is for ${type}, and its type can't be changed.` }),
  emptyFile: { reason: "The file is empty." },
  noRoom: { reason: "No number is left between this pre-release and its neighbors." },
};
