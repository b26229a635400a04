// Use cases of issues: the log, details, acknowledging, and problems (MO-04, MO-05).
import { errorCode, errorEntry, type ServerErrorCode } from "@psp/contract/errors.ts";
import type { BatchReply } from "@psp/contract/kit/batch.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { sortKeys } from "@psp/contract/kit/page.ts";
import type * as calls from "@psp/contract/monitoring/monitoring.api.ts";
import type { Context } from "../../context.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { readArrayOrPage } from "../../db/list.ts";
import { type UnitOfWork, write } from "../../db/write.ts";
import { AppError } from "../../kit/app-error.ts";
import { entityUpdated } from "../../kit/bus.ts";
import type { Caller } from "../../kit/caller.ts";
import { taggedLocations } from "../../location/location.service.ts";
import { publishEntity } from "../../owned/change.ts";
import { findAlertsByStatus } from "../alert/alert.store.ts";
import { toWeekDayName } from "../alert/when.rules.ts";
import { issueWorkReasons } from "../open-issues/issue-work.reasons.ts";
import { describeIssues, listOpenIssueIds, toOpenIssueConditions } from "../open-issues/open-issues.service.ts";
import { findOpenIssueIds } from "../open-issues/open-issues.store.ts";
import { type AskedTarget, maxIssuesAtOnce, toIssueFilter } from "./issue-target.rules.ts";
import * as store from "./issue.store.ts";
import { toDetail, toIssue, toProblem, toSensorIssues } from "./issue.wire.ts";

type ListQuery = HandlerInput<typeof calls.listIssues>["query"];

export async function listIssues(ctx: Context, caller: Caller, query: ListQuery) {
  const { skip = 0, limit = ctx.config.pageSize, includeTotals, includeDeleted: _, sortBy, sortDesc, ...rest } = query;
  const { open, assigneeID, snoozed, ...filters } = rest;
  const filter = toIssueFilter(filters);
  const sort = sortKeys({ sortBy, sortDesc });
  if (open) {
    const asked = { ...filter, assigneeID, snoozed };
    const page = await listOpenIssueIds(ctx, caller, asked, sort, { skip, limit, includeTotals });
    const objects = await describe(ctx, caller, page.ids, store.findIssuesInOrder(ctx.db, caller, page.ids));
    const changesAt = page.changesAt?.toISOString() ?? null;
    return { objects, changesAt, ...(page.total === undefined ? {} : { total: page.total }) };
  }
  if (assigneeID) throw new AppError(errorCode.invalidArgument, issueWorkReasons.needsOpen("assigneeID"));
  if (snoozed) throw new AppError(errorCode.invalidArgument, issueWorkReasons.needsOpen("snoozed"));
  const log = atNow(ctx, caller, filter);
  const [rows, total] = await Promise.all([
    store.findIssuePage(ctx.db, caller, log, sort, { skip, limit }),
    includeTotals ? store.countIssues(ctx.db, caller, log) : undefined,
  ]);
  const objects = await describe(
    ctx,
    caller,
    rows.map(({ id }) => id),
    rows,
  );
  return total === undefined ? { objects } : { objects, total };
}

async function describe(
  ctx: Context,
  caller: Caller,
  ids: readonly string[],
  found: readonly store.IssueRow[] | Promise<readonly store.IssueRow[]>,
) {
  const [rows, workOn] = await Promise.all([found, describeIssues(ctx, caller, ids)]);
  return rows.map((row) => ({ ...toIssue(row), ...workOn(row).work }));
}

/** Notes in the details of an issue. */
const maxNotes = 100;

/** Throws 105 if the issue is not visible. */
export async function getIssue(ctx: Context, caller: Caller, id: string) {
  const row = await store.findIssue(ctx.db, caller, id);
  if (!row) throw new AppError(errorCode.notFound);
  const { work, notes } = (await describeIssues(ctx, caller, [row.id], maxNotes))(row);
  const detail = toDetail(row, await findAlertsByStatus(ctx.db, id), toWeekDayName(zoneOf(row.zone), row.startMs));
  return { ...detail, ...work, notes };
}

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
    const filter = await toLogFilter(ctx, w, caller, ids, query);
    const count = filter.ids?.length ?? (await store.countIssues(w.tx, caller, filter));
    if (expectedCount !== undefined && expectedCount !== count)
      throw new AppError(
        errorCode.invalidArgument,
        { field: "expectedCount", count, ...issueWorkReasons.changedSelection(count) },
        { status: 409 },
      );
    if (count > maxIssuesAtOnce)
      throw new AppError(errorCode.invalidArgument, {
        field: ids ? "ids" : "query",
        ...issueWorkReasons.tooMany(maxIssuesAtOnce),
      });
    const rows = await store.lockIssues(w.tx, caller, filter, maxIssuesAtOnce);
    const reply = await acknowledge(ctx, w, caller, rows);
    if (!ids) return reply;
    const found = new Set(rows.map(({ id }) => id));
    const missing = (filter.ids ?? []).filter((id) => !found.has(id));
    return { ...reply, fail: [...reply.fail, ...missing.map((id) => failure(id, errorCode.notFound))] };
  });
}

const atNow = (ctx: Context, caller: Caller, { tag, ...filter }: store.IssueFilter): store.LogFilter => ({
  ...filter,
  now: ctx.clock.date(),
  tagged: tag && taggedLocations(caller, tag),
});

/** Filters of open issues are replaced by the ids of their log entries. */
async function toLogFilter(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  ids: string[] | undefined,
  query: NonNullable<AskedTarget["query"]>,
): Promise<store.LogFilter> {
  const now = ctx.clock.date();
  if (ids) return { ids: [...new Set(ids.map((id) => id.toLowerCase()))], now };
  const { assigneeID, snoozed, ...filter } = toIssueFilter(query);
  if (query.open !== true) {
    if (assigneeID) throw new AppError(errorCode.invalidArgument, issueWorkReasons.needsOpen("assigneeID"));
    if (snoozed) throw new AppError(errorCode.invalidArgument, issueWorkReasons.needsOpen("snoozed"));
    return atNow(ctx, caller, filter);
  }
  const conditions = await toOpenIssueConditions(ctx, w.tx, caller, { ...filter, assigneeID, snoozed });
  const open = await findOpenIssueIds(w.tx, conditions, [], { skip: 0, limit: maxIssuesAtOnce + 1 });
  return { ids: open, now };
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
    const [row] = await store.lockIssues(w.tx, caller, { ids: [id], now: ctx.clock.date() }, 1);
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
    const ids = await store.findEditableProblems(w.tx, caller, maxIssuesAtOnce);
    if (ids.length === 0) return { success: 0, fail: [] };
    return acknowledge(
      ctx,
      w,
      caller,
      await store.lockIssues(w.tx, caller, { ids, now: ctx.clock.date() }, maxIssuesAtOnce),
    );
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
