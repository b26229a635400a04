// The calls about firmware; on the wire it is called artifact (spec 3 §7).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { uuid } from "../kit/ids.ts";
import { idFilter, pageQuery, pageReply, repeatable, textFilter } from "../kit/page.ts";
import { sensorTypes } from "../sensor/sensor-type.ts";
import { firmwareChangeSchema, firmwareSchema } from "./firmware.ts";

const byId = z.strictObject({ id: uuid });
const idReply = z.object({ _id: z.string() });

export const firmwareListQuery = z.strictObject({
  ...pageQuery(["type", "name", "owner", "createdAt", "_id"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  sensorType: repeatable(z.enum(sensorTypes)).optional(),
  ownerID: idFilter.optional(),
});

export const listFirmware = endpoint({
  name: "listFirmware",
  method: "GET",
  path: "/artifact",
  caller: "session",
  summary: "Firmware that the caller may view; an array, or objects with total on request",
  query: firmwareListQuery,
  reply: z.union([z.array(firmwareSchema), pageReply(firmwareSchema)]),
});
export const getFirmware = endpoint({
  name: "getFirmware",
  method: "GET",
  path: "/artifact/{id}",
  caller: "session",
  summary: "One firmware",
  params: byId,
  reply: firmwareSchema,
});
export const updateFirmware = endpoint({
  name: "updateFirmware",
  method: "PUT",
  path: "/artifact/{id}",
  caller: "session",
  summary: "Changes version name, owner or visibility; type and file are fixed",
  params: byId,
  body: firmwareChangeSchema,
  reply: firmwareSchema,
});
export const deleteFirmware = endpoint({
  name: "deleteFirmware",
  method: "DELETE",
  path: "/artifact/{id}",
  caller: "session",
  summary: "Deletes a firmware",
  params: byId,
  reply: idReply,
});
