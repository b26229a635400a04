// Use cases of reports; each checks rights, writes in a transaction and publishes.
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import type * as calls from "@psp/contract/report/report.api.ts";
import {
  maxReportsPerOwner,
  type NewReport,
  type ReportChange,
  type ReportQuery,
} from "@psp/contract/report/report.ts";
import type { Schedule } from "@psp/contract/report/schedule.ts";
import type { Context } from "../context.ts";
import type { Reader, Tx } from "../db/database.ts";
import { countRows, readArrayOrPage } from "../db/list.ts";
import { toJsonb } from "../db/storable.ts";
import { write } from "../db/write.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { changeOwned, checkChange, checkDelete, createOwned, deleteOwned, toOwnedResponse } from "../owned/change.ts";
import { lockOwned } from "../owned/owned.store.ts";
import { requireNewOwner } from "../owned/owner.ts";
import { findFirstZone, mayAdd, mayManage } from "./creator.service.ts";
import { planCheck } from "./due.rules.ts";
import { askRecipients } from "./recipient/recipient.service.ts";
import { deleteRecipients, replaceRecipients } from "./recipient/recipient.store.ts";
import { reports } from "./report.noun.ts";
import { reportReasons } from "./report.reasons.ts";
import { countVisible } from "./report.rights.ts";
import * as store from "./report.store.ts";
import { deleteRuns } from "./run/run.store.ts";
import { toReport } from "./report.wire.ts";

export async function listReports(
  ctx: Context,
  caller: Caller,
  query: HandlerInput<typeof calls.listReports>["query"],
) {
  const conditions = store.reportConditions(caller, query, query.includeDeleted);
  return readArrayOrPage(
    query,
    ctx.config.pageSize,
    async (sort, part) =>
      (await store.findReportPage(ctx.db, caller, conditions, sort, part)).map((row) => toReport(ctx, row)),
    () => countRows(ctx.db, "report", conditions),
  );
}

/** The stored part of a report or a change; fields that a change omits are those of `before`. */
function queryOf(given: { [K in keyof ReportQuery]?: ReportQuery[K] | undefined }, before: ReportQuery): ReportQuery {
  const { filters, range, by, open, compare, groupBy, content, formats } = given;
  return {
    filters: filters ?? before.filters,
    range: range ?? before.range,
    by: by === undefined ? before.by : by,
    open: open ?? before.open,
    compare: compare === undefined ? before.compare : compare,
    groupBy: groupBy ?? before.groupBy,
    content: content ?? before.content,
    formats: formats ?? before.formats,
  };
}

/** Throws 105 unless all locations exist and are visible. */
async function requireLocations(reader: Reader, caller: Caller, ids: readonly string[] | undefined): Promise<void> {
  if (ids === undefined) return;
  const wanted = new Set(ids).size;
  if ((await countVisible(reader, caller, ids, { withDeleted: false })) < wanted)
    throw new AppError(errorCode.notFound, { field: "filters.ids" });
}

/** Throws 102 if the account has the maximum number of reports. */
async function requireRoom(tx: Tx, ownerId: string): Promise<void> {
  if ((await store.countReportsForLimit(tx, ownerId)) >= maxReportsPerOwner)
    throw new AppError(errorCode.invalidArgument, { field: "owner", ...reportReasons.tooMany });
}

/** The next due instant after now, and when to look for it. Nulls while the report is off. */
async function planColumns(ctx: Context, caller: Caller, schedule: Schedule, enabled: boolean) {
  const handled = { handled_to: ctx.clock.date() };
  if (!enabled) return { ...handled, next_at: null, check_at: null };
  const zone = schedule.zone === null ? ((await findFirstZone(ctx, caller)) ?? zoneOf(null)) : zoneOf(schedule.zone);
  const { nextMs, checkMs } = planCheck(schedule, zone, ctx.clock.now());
  return { ...handled, next_at: new Date(nextMs), check_at: new Date(checkMs) };
}

export async function createReport(ctx: Context, caller: Caller, input: NewReport) {
  const { schedule, enabled } = input;
  const plan = await planColumns(ctx, caller, schedule, enabled);
  return write(ctx, caller, async (w) => {
    const owner = await requireNewOwner(w.tx, caller, input.owner);
    await requireLocations(w.tx, caller, input.filters.ids);
    if (!(await mayAdd(w.tx, caller, owner, input.filters.ids)))
      throw new AppError(errorCode.noCreate, reportReasons.newRights);
    await requireRoom(w.tx, owner.id);
    const { id } = await createOwned(ctx, w, reports, owner, {
      id: uuidv7(ctx.clock.now()),
      name: input.name,
      creator_id: caller.credentialId,
      query: toJsonb(queryOf(input, input)),
      schedule: toJsonb(schedule),
      language: input.language,
      is_enabled: enabled,
      ...plan,
    });
    const added = await replaceRecipients(w.tx, id, input.recipients);
    await askRecipients(ctx, w, caller, { id, name: input.name, ownerId: owner.id, ownerName: owner.name }, added);
    return toOwnedResponse(ctx, w.tx, reports, caller, id);
  });
}

/**
 * Omitted fields keep their values. The login that changes a report becomes its creator, because otherwise an editor could read with the rights
 * of another account. This also starts a stopped report again.
 */
export async function updateReport(ctx: Context, caller: Caller, id: string, change: ReportChange) {
  return write(ctx, caller, async (w) => {
    const locked = await lockOwned(w.tx, reports, caller, id);
    const may = locked !== undefined && (await store.mayEdit(w.tx, caller, id));
    const judged = await checkChange(reports, w.tx, caller, locked, change, {
      mayEdit() {
        if (!may) throw new AppError(errorCode.noEdit, reportReasons.rights);
      },
      refer: async () => requireLocations(w.tx, caller, change.filters?.ids),
      mayHandOver(from, to) {
        if (!canEdit(caller, "owner", from) || !canEdit(caller, "owner", to))
          throw new AppError(errorCode.noChangeOwner, reportReasons.rights);
      },
    });
    const { row, from, to } = judged;
    const query = queryOf(change, row.query);
    const owner = to ?? from;
    if (!(await mayManage(w.tx, caller, { ownerId: owner.id, locationIds: query.filters.ids })))
      throw new AppError(errorCode.noEdit, reportReasons.rights);
    const isWeekly = row.is_weekly && row.creator_id === caller.credentialId;
    if (to !== null || isWeekly !== row.is_weekly) await requireRoom(w.tx, owner.id);
    const { name = row.name, schedule = row.schedule, enabled = row.is_enabled, language = row.language } = change;
    const isPlanned =
      change.schedule !== undefined || enabled !== row.is_enabled || row.stopped !== null || row.check_at === null;
    await changeOwned(ctx, w, reports, judged, {
      name,
      creator_id: caller.credentialId,
      is_weekly: isWeekly,
      query: toJsonb(query),
      schedule: toJsonb(schedule),
      language,
      is_enabled: enabled,
      stopped: null,
      ...(isPlanned ? await planColumns({ ...ctx, db: w.tx }, caller, schedule, enabled) : {}),
    });
    const added = change.recipients === undefined ? [] : await replaceRecipients(w.tx, id, change.recipients);
    if (change.recipients !== undefined || to !== null)
      await askRecipients(ctx, w, caller, { id, name, ownerId: owner.id, ownerName: owner.name }, added);
    return toOwnedResponse(ctx, w.tx, reports, caller, id);
  });
}

export async function deleteReport(ctx: Context, caller: Caller, id: string) {
  return write(ctx, caller, async (w) => {
    const locked = await lockOwned(w.tx, reports, caller, id);
    const may = locked !== undefined && (await store.mayEdit(w.tx, caller, id));
    const judged = await checkDelete(reports, w.tx, caller, locked, () => {
      if (!may) throw new AppError(errorCode.noDelete, reportReasons.rights);
    });
    await deleteRuns(w.tx, id);
    await deleteRecipients(w.tx, id);
    return deleteOwned(ctx, w, reports, judged);
  });
}
