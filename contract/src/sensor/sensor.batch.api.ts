// The calls that change or delete many sensors at once, and those that report how far one is (spec 2 §7, decisions 13).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { parseMac, uuid } from "../kit/ids.ts";
import { idText } from "../kit/page.ts";
import { refusalDetails } from "../kit/refusal.ts";
import { sensorFilter } from "./sensor.api.ts";
import { sensorChangeSchema } from "./sensor.ts";

/** At most this many sensors can be named one by one; more of them are reached by a query. */
const maxBatchIds = 100_000;
const maxBodyBytes = 4 * 1024 * 1024;

/** Any text: one that is no sensor's id fails like an id that no sensor has. */
const anySensorId = idText.transform((text) => parseMac(text) ?? text);
const idList = z.array(anySensorId).max(maxBatchIds);

/** What the list's filters match, without the excluded ones. */
const sensorQuery = z.strictObject({ ...sensorFilter, exclude: idList.optional() });

const { sensorFeatureCredentials: _perSensor, ...fields } = sensorChangeSchema.shape;
const sensorBatchChanges = z.strictObject(fields);
export type SensorBatchChanges = z.output<typeof sensorBatchChanges>;

const target = {
  sensorIDs: idList.optional(),
  sensorQuery: sensorQuery.optional(),
  /** Says that a query without any filter is meant. */
  all: z.boolean().optional(),
  /** The number that the person saw: another one is refused with 409 before anything changes. */
  expectedCount: z.int().min(0).optional(),
};

type Target = z.output<z.ZodObject<typeof target>>;

/** Ids or a query, never both; everything at once only when it is said so (T-07). */
function checkTarget(body: Target, ctx: z.RefinementCtx): void {
  const refuse = (code: 102 | 104, field: string) =>
    ctx.addIssue({ code: "custom", path: [field], message: "Either sensorIDs or sensorQuery", params: { code } });
  if (body.sensorIDs && body.sensorQuery) return refuse(102, "sensorQuery");
  if (!body.sensorIDs && !body.sensorQuery) return refuse(104, "sensorIDs");
  if (!body.sensorQuery || body.all === true) return;
  const { exclude: _exclude, ...filters } = body.sensorQuery;
  // An empty text is what a cleared search field sends: it matches everything, too.
  if (Object.values(filters).every((value) => value === undefined || value === "")) refuse(104, "all");
}

const sensorBatchTarget = z.strictObject(target).superRefine(checkTarget);
export type SensorBatchTarget = z.output<typeof sensorBatchTarget>;

const batchReply = z.object({
  success: z.int(),
  fail: z.array(z.object({ id: z.string(), errMessage: z.string(), details: refusalDetails.optional() })),
});
export type BatchReply = z.output<typeof batchReply>;

export const batchUpdateSensors = endpoint("batchUpdateSensors", "PUT", "/v2/sensor/batch-update", {
  summary: "Changes many sensors, by ids or by the list's filters; every sensor and field is authorized on its own",
  maxBodyBytes,
  body: z
    .strictObject({ ...target, changes: sensorBatchChanges })
    .superRefine(checkTarget)
    .superRefine(({ changes }, ctx) => {
      // An unknown field is what is wrong, not that there is no other.
      if (ctx.issues.length > 0) return;
      if (Object.values(changes).some((value) => value !== undefined)) return;
      ctx.addIssue({ code: "custom", path: ["changes"], message: "No changes", params: { code: 104 } });
    }),
  reply: batchReply,
});
export const batchDeleteSensors = endpoint("batchDeleteSensors", "PUT", "/v2/sensor/batch-delete", {
  summary: "Deletes many sensors, by ids or by the list's filters; every sensor is authorized on its own",
  maxBodyBytes,
  body: sensorBatchTarget,
  reply: batchReply,
});

const run = z.object({
  _id: z.string(),
  /** The Idempotency-Key of the call that started it; null when it had none. */
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
/** An Idempotency-Key; no header carries NUL. */
const requestKey = boundedText(200).refine((text) => !text.includes("\u0000"), { error: "Not a key" });

export const listSensorBatches = endpoint("listSensorBatches", "GET", "/v2/sensor/batches", {
  summary: "The caller's batches of the last day, newest first: how far each is",
  query: z.strictObject({ key: requestKey.optional() }),
  reply: z.array(run),
});
export const getSensorBatch = endpoint("getSensorBatch", "GET", "/v2/sensor/batches/{id}", {
  summary: "One batch of the caller with what failed so far",
  params: byId,
  reply: run.extend({ fail: batchReply.shape.fail }),
});
export const cancelSensorBatch = endpoint("cancelSensorBatch", "POST", "/v2/sensor/batches/{id}/cancel", {
  summary: "Stops a batch of the caller; what it has changed stays, the rest fails with 'Canceled.'",
  params: byId,
  reply: run,
});
