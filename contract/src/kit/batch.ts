// Batches over many owned objects, selected by ids or filters (docs/rules/api.md#batches).
import { z } from "zod";
import { errorCode, type ServerErrorCode } from "../errors.ts";
import { refusalDetails } from "./refusal.ts";

export const maxBatchIds = 100_000;
export const maxBatchBytes = 4 * 1024 * 1024;

export const batchSafeguards = {
  /** Confirms that a query without any filter is intended. */
  all: z.boolean().optional(),
  /** The number of objects that the user saw. If the actual number differs, the batch is refused with 409 and changes nothing. */
  expectedCount: z.int().min(0).optional(),
};

type Target = { ids: unknown; query: Record<string, unknown> | undefined; all: boolean | undefined };

/**
 * Requires either ids or a query, and `all` if the query has no filter (T-07). `names` has the names of both fields for messages.
 */
export function checkBatchTarget(
  { ids, query, all }: Target,
  names: { ids: string; query: string },
  ctx: z.RefinementCtx,
): void {
  const message = `Either ${names.ids} or ${names.query}`;
  const refuse = (code: ServerErrorCode, field: string) =>
    ctx.addIssue({ code: "custom", path: [field], message, params: { code } });
  if (ids && query) return refuse(errorCode.invalidArgument, names.query);
  if (!ids && !query) return refuse(errorCode.missingArgument, names.ids);
  if (!query || all === true) return;
  const { exclude: _exclude, ...filters } = query;
  // A cleared search field sends an empty text, which matches everything and is therefore no filter.
  if (Object.values(filters).every((value) => value === undefined || value === ""))
    refuse(errorCode.missingArgument, "all");
}

export function requireChanges({ changes }: { changes: object }, ctx: z.RefinementCtx): void {
  if (ctx.issues.length > 0) return;
  if (Object.values(changes).some((value) => value !== undefined)) return;
  ctx.addIssue({
    code: "custom",
    path: ["changes"],
    message: "No changes",
    params: { code: errorCode.missingArgument },
  });
}

export const batchReplySchema = z.object({
  success: z.int(),
  fail: z.array(z.object({ id: z.string(), errMessage: z.string(), details: refusalDetails.optional() })),
});
export type BatchReply = z.output<typeof batchReplySchema>;
