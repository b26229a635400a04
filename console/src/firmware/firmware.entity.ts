// Calls, texts and rights of firmware, which is called artifact in the API.
import * as api from "@psp/contract/firmware/firmware.api.ts";
import { callUrl } from "../api/server-address.ts";
import { paths } from "../address/paths.ts";
import { defineEntity, defaultRights } from "../entity/entity.ts";
import { firmwareText } from "./firmware.text.ts";

export const firmware = defineEntity({
  type: "artifact",
  calls: {
    list: api.listFirmware,
    get: api.getFirmware,
    create: api.createFirmware,
    update: api.updateFirmware,
    remove: api.deleteFirmware,
  },
  text: firmwareText,
  nameOf: ({ type, name }) => `${type} ${name}`,
  paths: { list: paths.firmware, remove: paths.deleteFirmware },
  rights: defaultRights("artifact"),
});

/** Downloads through the browser, authenticated by the session cookie. */
export function downloadPackage({ _id }: { _id: string }): void {
  const link = document.createElement("a");
  link.href = callUrl(api.getFirmwarePackage, { id: _id });
  link.download = "";
  document.body.append(link);
  link.click();
  link.remove();
}
