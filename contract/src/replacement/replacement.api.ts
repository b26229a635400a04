// API calls that replace a sensor by another one.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { mac, uuid } from "../kit/ids.ts";
import { lostSchema, replacementCheckSchema, replacementPlanSchema, replacementRequestSchema } from "./replacement.ts";

const byId = z.strictObject({ id: mac });

export const replaceSensor = endpoint("replaceSensor", "POST", "/sensor/{id}/replace", {
  perMinute: 60,
  summary:
    "Puts another sensor in the place of this one; 409 with details.lost if something is lost that was not accepted",
  params: byId,
  body: replacementRequestSchema,
  reply: z.object({
    /** Needed to undo the replacement. */
    replacement: z.string(),
    sensorID: z.string(),
    replacedSensorID: z.string(),
    lost: z.array(lostSchema),
  }),
});

export const checkReplacement = endpoint("checkReplacement", "POST", "/sensor/{id}/replace/check", {
  perMinute: 60,
  summary: "What a replacement would take over and lose; changes nothing, but counts wrong registration codes",
  params: byId,
  body: replacementCheckSchema,
  reply: replacementPlanSchema,
});

export const undoReplacement = endpoint("undoReplacement", "POST", "/sensor/{id}/replace/undo", {
  perMinute: 60,
  summary:
    "Undoes a replacement: restores both sensors and the counts of the location, unless a sensor has been changed since",
  params: byId,
  body: z.strictObject({ replacement: uuid }),
  reply: z.object({ sensorID: z.string(), replacedSensorID: z.string() }),
});
