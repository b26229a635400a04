// Firmware as owned things.
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import type { OwnedNoun } from "../owned/noun.ts";
import { firmwareReasons } from "./firmware.reasons.ts";
import { findFirmware, type FirmwareRow, firmwareTable } from "./firmware.store.ts";
import { firmwareTrail, toFirmware } from "./firmware.wire.ts";

export const firmwareNoun: OwnedNoun<"firmware", FirmwareRow, Firmware> = {
  ...firmwareTable,
  type: "artifact",
  rights: "artifact",
  reasons: firmwareReasons,
  find: findFirmware,
  toWire: toFirmware,
  trail: firmwareTrail,
  eventOf: (before) => ({ wasOpenToChildren: before.children_can_view }),
};
