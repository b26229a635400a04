// Query parameters of the firmware list. Separate from the API calls, so that pages that only make the calls don't load these schemas
// (ADR 0027).
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
