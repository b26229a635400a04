// Use cases of issues: the log, details, acknowledging, and problems (MO-04, MO-05).
import { errorCode, errorEntry, type ServerErrorCode } from "@psp/contract/errors.ts";
import type { BatchReply } from "@psp/contract/kit/batch.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { parseMac } from "@psp/contract/kit/mac.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import type * as calls from "@psp/contract/monitoring/monitoring.api.ts";
import type { Context } from "../../context.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { readArrayOrPage } from "../../db/list.ts";
import { type UnitOfWork, write } from "../../db/write.ts";
import { AppError } from "../../kit/app-error.ts";
import { entityUpdated } from "../../kit/bus.ts";
import type { Caller } from "../../kit/caller.ts";
import { publishEntity } from "../../owned/change.ts";
import { findAlertsByStatus } from "../alert/alert.store.ts";
import { toWeekDayName } from "../alert/when.rules.ts";
import * as store from "./issue.store.ts";
import { toDetail, toIssue, toProblem, toSensorIssues } from "./issue.wire.ts";

type Asked = Omit<store.IssueFilter, "sensorIDs"> & { sensorIDs?: string[] | undefined };

function filterOf({ sensorIDs, ...filter }: Asked): store.IssueFilter {
  return { ...filter, ...(sensorIDs ? { sensorIDs: sensorIDs.map((id) => parseMac(id) ?? id) } : {}) };
}

export async function listIssues(ctx: Context, caller: Caller, query: HandlerInput<typeof calls.listIssues>["query"]) {
  const { skip = 0, limit = ctx.config.pageSize, includeTotals, includeDeleted: _, sortBy, sortDesc, ...rest } = query;
  const filter = filterOf(rest);
  const [rows, total] = await Promise.all([
    store.findIssuePage(ctx.db, caller, filter, sortKeys({ sortBy, sortDesc }), { skip, limit }),
    includeTotals ? store.countIssues(ctx.db, caller, filter) : undefined,
  ]);
  const objects = rows.map(toIssue);
  return total === undefined ? { objects } : { objects, total };
}

/** Throws 105 if the issue is not visible. */
export async function getIssue(ctx: Context, caller: Caller, id: string) {
  const row = await store.findIssue(ctx.db, caller, id);
  if (!row) throw new AppError(errorCode.notFound);
  return toDetail(row, await findAlertsByStatus(ctx.db, id), toWeekDayName(zoneOf(row.zone), row.startMs));
}

/** Issues per transaction; limits how long locks are held. */
const maxAtOnce = 20_000;

/**
 * Acknowledges the selected issues. Each is checked separately, and an earlier acknowledgment stays
 * (docs/rules/monitoring.md#acknowledging).
 */
export async function acknowledgeIssues(
  ctx: Context,
  caller: Caller,
  { ids, query = {}, expectedCount }: HandlerInput<typeof calls.acknowledgeIssues>["body"],
): Promise<BatchReply> {
  return write(ctx, caller, async (w) => {
    const filter = ids ? { ids: [...new Set(ids.map((id) => id.toLowerCase()))] } : filterOf(asLists(query));
    const count = ids ? (filter.ids?.length ?? 0) : await store.countIssues(w.tx, caller, filter);
    if (expectedCount !== undefined && expectedCount !== count)
      throw new AppError(
        errorCode.invalidArgument,
        { field: "expectedCount", count, reason: `Selection changed: ${count} entries now match.` },
        { status: 409 },
      );
    if (count > maxAtOnce)
      throw new AppError(errorCode.invalidArgument, {
        field: ids ? "ids" : "query",
        reason: `You can change at most ${maxAtOnce} entries at once`,
      });
    const rows = await store.lockIssues(w.tx, caller, filter, maxAtOnce);
    const reply = await acknowledge(ctx, w, caller, rows);
    if (!ids) return reply;
    const found = new Set(rows.map(({ id }) => id));
    const missing = (filter.ids ?? []).filter((id) => !found.has(id));
    return { ...reply, fail: [...reply.fail, ...missing.map((id) => failure(id, errorCode.notFound))] };
  });
}

type Query = NonNullable<HandlerInput<typeof calls.acknowledgeIssues>["body"]["query"]>;

function asLists({ measID, sensorIDs, issueType, issueStatus, ...rest }: Query): Asked {
  const list = <T>(value: T | T[] | undefined) =>
    value === undefined ? undefined : Array.isArray(value) ? value : [value];
  return {
    ...rest,
    measID: list(measID),
    sensorIDs: list(sensorIDs),
    issueType: list(issueType),
    issueStatus: list(issueStatus),
  };
}

const failure = (id: string, code: ServerErrorCode, reason?: string): BatchReply["fail"][number] => ({
  id,
  errMessage: errorEntry(code).message,
  ...(reason === undefined ? {} : { details: { reason } }),
});

async function acknowledge(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  rows: readonly store.IssueToAcknowledge[],
): Promise<BatchReply> {
  const fail: BatchReply["fail"] = [];
  const fresh: store.IssueToAcknowledge[] = [];
  for (const row of rows) {
    if (!row.canEdit) fail.push(failure(row.id, errorCode.noEdit, "You can't edit this entry's sensor."));
    else if (row.issueStatus === "Ok")
      fail.push(failure(row.id, errorCode.invalidArgument, "Only warnings and errors can be acknowledged."));
    else if (row.acknowledgedAt === null) fresh.push(row);
  }
  const at = ctx.clock.date();
  await store.acknowledge(
    w.tx,
    fresh.map(({ id }) => id),
    at,
    caller.id,
  );
  for (const { id, ownerId, ownerPath, sensorId } of fresh) {
    const owner = { id: ownerId, path: ownerPath };
    const after = { sensor: sensorId, acknowledgedAt: at.toISOString() };
    w.audit({
      action: "acknowledge",
      object: { type: "datapoint", _id: id },
      owner,
      before: { acknowledgedAt: null },
      after,
    });
    publishEntity(w, { type: "issue", op: "update", id, ownerBefore: ownerId, ownerAfter: ownerId });
  }
  // The sensor list shows which open issues are acknowledged.
  const sensors = new Map(fresh.map(({ sensorId, ownerId }) => [sensorId, ownerId]));
  for (const [id, owner] of sensors) w.announce(entityUpdated("sensor", id, owner));
  return { success: rows.length - fail.length, fail };
}

export function listProblems(ctx: Context, caller: Caller, query: HandlerInput<typeof calls.listProblems>["query"]) {
  return readArrayOrPage(
    query,
    null,
    async (sort, part) => (await store.findProblems(ctx.db, caller, sort, part)).map(toProblem),
    () => store.countProblems(ctx.db, caller),
  );
}

/** Acknowledges an issue. Throws 102 if it is Ok, 105 if it is not visible, 305 if its sensor is not editable. */
export async function solveProblem(ctx: Context, caller: Caller, id: string) {
  return write(ctx, caller, async (w) => {
    const [row] = await store.lockIssues(w.tx, caller, { ids: [id] }, 1);
    if (!row) throw new AppError(errorCode.notFound);
    if (!row.canEdit) throw new AppError(errorCode.noEdit, { reason: "You can't edit this entry's sensor." });
    if (row.issueStatus === "Ok")
      throw new AppError(errorCode.invalidArgument, { reason: "Only warnings and errors can be acknowledged." });
    await acknowledge(ctx, w, caller, [row]);
    const solved = await store.findIssue(w.tx, caller, id);
    if (!solved) throw new AppError(errorCode.notFound);
    return toProblem(solved);
  });
}

export async function solveAllProblems(ctx: Context, caller: Caller): Promise<BatchReply> {
  return write(ctx, caller, async (w) => {
    const ids = await store.findEditableProblems(w.tx, caller, maxAtOnce);
    if (ids.length === 0) return { success: 0, fail: [] };
    return acknowledge(ctx, w, caller, await store.lockIssues(w.tx, caller, { ids }, maxAtOnce));
  });
}

/** Locations for maps, each with its worst open issue (DB-03). */
export function listLocationsWithIssues(ctx: Context, caller: Caller) {
  return store.findLocationsWithIssues(ctx.db, caller);
}

/** Sensors with open issues (DB-02). */
export async function listSensorsWithIssues(
  ctx: Context,
  caller: Caller,
  query: HandlerInput<typeof calls.listSensorsWithIssues>["query"],
) {
  const { skip = 0, limit = ctx.config.pageSize, includeTotals } = query;
  const [sort] = sortKeys(query);
  const asked = { withAcknowledged: query.acknowledged === true, ascending: sort !== undefined && !sort.descending };
  const rows = await store.findSensorsWithIssues(ctx.db, caller, asked, { skip, limit });
  const objects = rows.map(toSensorIssues);
  if (!includeTotals) return { objects };
  // Every row contains the totals. A page past the end has no rows, so they are read from the first page.
  const [counted = { total: 0, warnings: 0, errors: 0 }] =
    rows.length > 0 || skip === 0
      ? rows
      : await store.findSensorsWithIssues(ctx.db, caller, asked, { skip: 0, limit: 1 });
  const { total, warnings, errors } = counted;
  return { objects, total, totalByStatus: { Warning: warnings, Error: errors } };
}
