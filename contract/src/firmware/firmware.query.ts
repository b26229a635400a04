// What the list of firmware may be asked for; apart from the calls, as with locations.
import { z } from "zod";
import { idFilter, pageQuery, repeatable, textFilter } from "../kit/page.ts";
import { sensorTypes } from "../device/sensor-type.ts";

export const firmwareListQuery = z.strictObject({
  ...pageQuery(["type", "name", "owner", "createdAt", "_id"]),
  ids: idFilter.optional(),
  name: textFilter.optional(),
  sensorType: repeatable(z.enum(sensorTypes)).optional(),
  ownerID: idFilter.optional(),
});
