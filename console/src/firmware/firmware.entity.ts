// What firmware is to the rest of the console; on the wire it is an artifact.
import {
  createFirmware,
  deleteFirmware,
  getFirmware,
  getFirmwarePackage,
  listFirmware,
  updateFirmware,
} from "@psp/contract/firmware/firmware.api.ts";
import { pathOf } from "@psp/contract/kit/endpoint.ts";
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

/** Lets the browser fetch the package into a file; the cookie carries the session. */
export function downloadPackage({ _id }: { _id: string }): void {
  const link = document.createElement("a");
  link.href = pathOf(getFirmwarePackage, { id: _id });
  link.download = "";
  document.body.append(link);
  link.click();
  link.remove();
}
