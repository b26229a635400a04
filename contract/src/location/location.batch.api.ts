// API calls that change or delete many locations (docs/rules/locations.md#batches-of-locations).
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
import { idText } from "../kit/page.ts";
import { locationFilter } from "./location.query.ts";
import { locationChangeSchema } from "./location.ts";

const idList = z.array(idText).max(maxBatchIds);

const target = {
  measIDs: idList.optional(),
  measQuery: z.strictObject({ ...locationFilter, exclude: idList.optional() }).optional(),
  ...batchSafeguards,
};

type Target = z.output<z.ZodObject<typeof target>>;

const checkTarget = (body: Target, ctx: z.RefinementCtx) =>
  checkBatchTarget(
    { ids: body.measIDs, query: body.measQuery, all: body.all },
    { ids: "measIDs", query: "measQuery" },
    ctx,
  );

const locationBatchTarget = z.strictObject(target).superRefine(checkTarget);
export type LocationBatchTarget = z.output<typeof locationBatchTarget>;

const changesSchema = locationChangeSchema.pick({ owner: true, location: true, openingHours: true });
export type LocationBatchChanges = z.output<typeof changesSchema>;

export const batchUpdateLocations = endpoint("batchUpdateLocations", "PUT", "/v2/measurement/batch-update", {
  summary:
    "Gives many locations an owner or an address, by ids or by the list's filters; each is authorized on its own",
  maxBodyBytes: maxBatchBytes,
  body: z
    .strictObject({ ...target, changes: changesSchema })
    .superRefine(checkTarget)
    .superRefine(requireChanges),
  reply: batchReplySchema,
});
export const batchDeleteLocations = endpoint("batchDeleteLocations", "PUT", "/v2/measurement/batch-delete", {
  summary: "Deletes many locations, by ids or by the list's filters; each is authorized on its own",
  maxBodyBytes: maxBatchBytes,
  body: locationBatchTarget,
  reply: batchReplySchema,
});
