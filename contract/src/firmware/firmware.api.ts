// API calls for firmware, which is called artifact on the wire.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { objectOrId } from "../kit/id-reply.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { uuid } from "../kit/ids.ts";
import { ownedCalls } from "../kit/owned-calls.ts";
import { firmwareChangeSchema, firmwareSchema, newFirmwareSchema, rolloutSchema } from "./firmware.ts";
import { firmwareListQuery } from "./firmware.query.ts";
import { maxPackageBytes } from "./package-size.ts";

const firmware = ownedCalls("Firmware", "/artifact", uuid, firmwareSchema);

export const listFirmware = firmware.list(
  "listFirmware",
  firmwareListQuery,
  "Firmware that the caller may view; an array, or objects with total on request",
);
export const getFirmware = firmware.get("One firmware");
export const getRollout = endpoint("getRollout", "GET", "/artifact/{id}/rollout", {
  summary: "How far one firmware has come on the sensors that the caller may view, and why it failed",
  params: firmware.byId,
  reply: rolloutSchema,
});
export const createFirmware = endpoint("createFirmware", "POST", "/artifact", {
  summary:
    "Uploads a firmware: sums and signature are made while the file arrives, it appears when all of it is stored",
  upload: { file: "file", ending: "", maxBytes: maxPackageBytes, fields: newFirmwareSchema },
  reply: objectOrId(firmwareSchema),
});
export const getFirmwarePackage = endpoint("getFirmwarePackage", "GET", "/artifact/{id}/package", {
  summary: "The file of a firmware, whole or by Range; for those who may use or edit it (310 for mere viewers)",
  params: firmware.byId,
  binary: true,
  reply: z.unknown(),
});
export const fetchFirmware = endpoint("fetchFirmware", "GET", "/fw/{token}", {
  root: "/device",
  caller: "device",
  summary: "The file of a firmware for a device, whole or by Range; the address is its own permission until it expires",
  params: z.strictObject({ token: boundedText(300) }),
  binary: true,
  reply: z.unknown(),
});
export const updateFirmware = firmware.update(
  firmwareChangeSchema,
  "Changes version name, owner or visibility; type and file are fixed, another type is 102",
);
export const deleteFirmware = firmware.remove("Deletes a firmware");
