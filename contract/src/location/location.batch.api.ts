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
import { errorCode } from "../errors.ts";
import { endpoint } from "../kit/endpoint.ts";
import { idText } from "../kit/page.ts";
import { locationFilter } from "./location.query.ts";
import { locationChangeSchema, locationTags } from "./location.ts";

/** A batch whose failures were retried has several. */
const maxUndoIds = 20;

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

const someTags = locationTags.min(1).optional();
const tagsChange = z
  .strictObject({ add: someTags, remove: someTags, replace: locationTags.optional() })
  .superRefine(({ add, remove, replace }, ctx) => {
    if (ctx.issues.length > 0) return;
    const refuse = (message: string, params = {}) => ctx.addIssue({ code: "custom", message, params });
    if (replace === undefined && add === undefined && remove === undefined)
      refuse("No tags", { code: errorCode.missingArgument });
    if (replace !== undefined && (add !== undefined || remove !== undefined))
      refuse("Either replace, or add and remove");
  });
export type TagsChange = z.output<typeof tagsChange>;

const changesSchema = locationChangeSchema
  .pick({ owner: true, location: true, openingHours: true })
  .extend({ tags: tagsChange.optional() });
export type LocationBatchChanges = z.output<typeof changesSchema>;

export const batchUpdateLocations = endpoint("batchUpdateLocations", "PUT", "/v2/measurement/batch-update", {
  summary:
    "Gives many locations an owner, an address, tags or opening hours, by ids or by the list's filters; each is authorized on its own",
  maxBodyBytes: maxBatchBytes,
  body: z
    .strictObject({ ...target, changes: changesSchema })
    .superRefine(checkTarget)
    .superRefine(requireChanges),
  /** `undoID` is in the response if tags or opening hours were changed. */
  reply: batchReplySchema.extend({ undoID: z.string().optional() }),
});
export const batchUndoLocations = endpoint("batchUndoLocations", "PUT", "/v2/measurement/batch-undo", {
  summary:
    "Restores the tags and opening hours that locations had before batches of the last hour, identified by their undoID",
  body: z.strictObject({ undoIDs: z.array(idText.min(1)).min(1).max(maxUndoIds) }),
  reply: batchReplySchema,
});
export const batchDeleteLocations = endpoint("batchDeleteLocations", "PUT", "/v2/measurement/batch-delete", {
  summary: "Deletes many locations, by ids or by the list's filters; each is authorized on its own",
  maxBodyBytes: maxBatchBytes,
  body: locationBatchTarget,
  reply: batchReplySchema,
});
