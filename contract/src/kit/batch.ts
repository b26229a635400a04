// What batches over owned objects have in common: named by ids or filters, and answered item by item (docs/rules/api.md#batches).
import { z } from "zod";
import { errorCode, type ServerErrorCode } from "../errors.ts";
import { refusalDetails } from "./refusal.ts";

/** At most this many can be named one by one; more of them are reached by a query. */
export const maxBatchIds = 100_000;
export const maxBatchBytes = 4 * 1024 * 1024;

/** Beside ids and query in the body of every batch. */
export const batchSafeguards = {
  /** Says that a query without any filter is meant. */
  all: z.boolean().optional(),
  /** The number that the person saw: another one is refused with 409 before anything changes. */
  expectedCount: z.int().min(0).optional(),
};

type Target = { ids: unknown; query: Record<string, unknown> | undefined; all: boolean | undefined };

/** Ids or a query, never both; everything at once only when it is said so (T-07). `names` are those of the fields. */
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
  // An empty text is what a cleared search field sends: it matches everything, too.
  if (Object.values(filters).every((value) => value === undefined || value === ""))
    refuse(errorCode.missingArgument, "all");
}

/** No field to change is an argument that is missing. */
export function requireChanges({ changes }: { changes: object }, ctx: z.RefinementCtx): void {
  // An unknown field is what is wrong, not that there is no other.
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
