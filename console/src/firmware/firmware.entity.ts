// What firmware is to the rest of the console; on the wire it is an artifact.
import {
  createFirmware,
  deleteFirmware,
  getFirmware,
  listFirmware,
  updateFirmware,
} from "@psp/contract/firmware/firmware.api.ts";
import { paths } from "../address/paths.ts";
import { defineEntity, plainRights } from "../entity/entity.ts";
import { firmwareText } from "./firmware.text.ts";

export const firmware = defineEntity({
  type: "artifact",
  calls: {
    list: listFirmware,
    get: getFirmware,
    create: createFirmware,
    update: updateFirmware,
    remove: deleteFirmware,
  },
  text: firmwareText,
  /** "APS 1.19.0". */
  nameOf: ({ type, name }) => `${type} ${name}`,
  paths: { list: paths.firmware, remove: paths.deleteFirmware },
  rights: plainRights("artifact"),
});
