// API calls that change or delete many sensors and report the progress (docs/rules/batches.md#selection).
import { z } from "zod";
import {
  batchReplySchema,
  batchSafeguards,
  checkBatchTarget,
  maxBatchBytes,
  maxBatchIds,
  requireChanges,
} from "../kit/batch.ts";
import { endpoint } from "../kit/endpoint.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { uuid } from "../kit/ids.ts";
import { parseMac } from "../kit/mac.ts";
import { idText } from "../kit/page.ts";
import { sensorFilter } from "./sensor.query.ts";
import { groupNameSchema, groupLimits, sensorChangeSchema } from "./sensor.ts";

/** Accepts any text, because an invalid id must fail like an unknown one. */
const anySensorId = idText.transform((text) => parseMac(text) ?? text);
const idList = z.array(anySensorId).max(maxBatchIds);

const sensorQuery = z.strictObject({ ...sensorFilter, exclude: idList.optional() });

/** Excludes credentials, because they differ per sensor, and the VPN, because it is opened for one user's visit. */
const fields = sensorChangeSchema.omit({ sensorFeatureCredentials: true, connectToVPN: true }).shape;
const someGroups = z.array(groupNameSchema).min(1).max(groupLimits.count);
/** A list replaces the sensor's groups, and null clears them. */
const groupsChange = z.union([
  fields.groups.unwrap(),
  z.strictObject({ add: someGroups }),
  z.strictObject({ remove: someGroups }),
]);
const sensorBatchChanges = z.strictObject({
  ...fields,
  groups: groupsChange.optional(),
  /** Pauses waiting installations, or resumes paused ones. */
  installation: z.enum(["waiting", "paused"]).optional(),
});
export type SensorBatchChanges = z.output<typeof sensorBatchChanges>;

const target = {
  sensorIDs: idList.optional(),
  sensorQuery: sensorQuery.optional(),
  ...batchSafeguards,
};

type Target = z.output<z.ZodObject<typeof target>>;

const checkTarget = (body: Target, ctx: z.RefinementCtx) =>
  checkBatchTarget(
    { ids: body.sensorIDs, query: body.sensorQuery, all: body.all },
    { ids: "sensorIDs", query: "sensorQuery" },
    ctx,
  );

/** `installation` must be the only change, because it selects installations by their state, which other changes would alter. */
function checkAlone({ changes }: { changes: SensorBatchChanges }, ctx: z.RefinementCtx): void {
  if (changes.installation === undefined) return;
  const others = Object.entries(changes).filter(([field, value]) => field !== "installation" && value !== undefined);
  if (others.length > 0)
    ctx.addIssue({ code: "custom", path: ["changes", "installation"], message: "Only on its own" });
}

const sensorBatchTarget = z.strictObject(target).superRefine(checkTarget);
export type SensorBatchTarget = z.output<typeof sensorBatchTarget>;

export const batchUpdateSensors = endpoint("batchUpdateSensors", "PUT", "/v2/sensor/batch-update", {
  summary:
    "Changes many sensors, by ids or by the list's filters, or pauses and resumes their installations; every sensor and field is authorized on its own",
  maxBodyBytes: maxBatchBytes,
  body: z
    .strictObject({ ...target, changes: sensorBatchChanges })
    .superRefine(checkTarget)
    .superRefine(requireChanges)
    .superRefine(checkAlone),
  reply: batchReplySchema,
});
export const batchDeleteSensors = endpoint("batchDeleteSensors", "PUT", "/v2/sensor/batch-delete", {
  summary: "Deletes many sensors, by ids or by the list's filters; every sensor is authorized on its own",
  maxBodyBytes: maxBatchBytes,
  body: sensorBatchTarget,
  reply: batchReplySchema,
});

const run = z.object({
  _id: z.string(),
  key: z.string().nullable(),
  kind: z.enum(["update", "delete"]),
  changes: z.record(z.string(), z.unknown()).nullable(),
  total: z.int(),
  done: z.int(),
  success: z.int(),
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
  isCanceled: z.boolean(),
});
export type SensorBatchRun = z.output<typeof run>;

const byId = z.strictObject({ id: uuid });
const requestKey = boundedText(200).refine((text) => !text.includes("\u0000"), { error: "Not a key" });

export const listSensorBatches = endpoint("listSensorBatches", "GET", "/v2/sensor/batches", {
  summary: "The caller's batches of the last day, newest first: how far each is",
  query: z.strictObject({ key: requestKey.optional() }),
  reply: z.array(run),
});
export const getSensorBatch = endpoint("getSensorBatch", "GET", "/v2/sensor/batches/{id}", {
  summary: "One batch of the caller with what failed so far",
  params: byId,
  reply: run.extend({ fail: batchReplySchema.shape.fail }),
});
export const cancelSensorBatch = endpoint("cancelSensorBatch", "POST", "/v2/sensor/batches/{id}/cancel", {
  summary: "Stops a batch of the caller; what it has changed stays, the rest fails with 'Canceled.'",
  params: byId,
  reply: run,
});
