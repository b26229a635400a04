// Assigns and snoozes open issues, and adds notes, each with its rights, audit rows and live messages
// (docs/rules/monitoring.md#work-on-issues).
import { errorCode, errorEntry, type ServerErrorCode } from "@psp/contract/errors.ts";
import type { BatchReply } from "@psp/contract/kit/batch.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import type { changeIssues, IssueChanges, undoIssueChanges } from "@psp/contract/monitoring/issue-work.api.ts";
import { maxNotesAtOnce, maxSnoozeDays } from "@psp/contract/monitoring/issue-words.ts";
import { dayMs } from "@psp/contract/kit/zone.ts";
import { canView } from "@psp/contract/permission/can.ts";
import type { Context } from "../../context.ts";
import { lockRights } from "../../db/locks.ts";
import { type UnitOfWork, write } from "../../db/write.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import { queueMail } from "../../mail/outbox.ts";
import { publishEntity } from "../../owned/change.ts";
import { changedMeanwhile } from "../../owned/owned.reasons.ts";
import { findOwners } from "../../owned/owner.ts";
import { reloadCaller } from "../../role/rights.service.ts";
import { type AskedTarget, toIssueFilter, maxIssuesAtOnce } from "../issue/issue-target.rules.ts";
import { findReadableEntries, type ReadEntry } from "../issue/issue.store.ts";
import { assignmentMail } from "./assignment-mail.rules.ts";
import { issueWorkReasons as reasons } from "./issue-work.reasons.ts";
import { lockLogins, type Login } from "./login.store.ts";
import { isShown, toOpenIssueConditions } from "./open-issues.service.ts";
import { countOpenIssues, seesOpenIssue } from "./open-issues.store.ts";
import * as store from "./work.store.ts";

type Failures = BatchReply["fail"];

const failure = (id: string, code: ServerErrorCode, details: { reason: string }): Failures[number] => ({
  id,
  errMessage: errorEntry(code).message,
  details,
});

export async function changeOpenIssues(
  ctx: Context,
  caller: Caller,
  { changes, ...target }: HandlerInput<typeof changeIssues>["body"],
): Promise<BatchReply & { undoID: string }> {
  requireSnoozeTime(ctx, changes.snoozedUntil);
  return write(ctx, caller, async (w) => {
    // Roles and the tree stay as they are until the commit, because the assignee's rights depend on them.
    await lockRights(w.tx, "use");
    const by = await reloadCaller(w.tx, caller);
    const login = changes.assigneeID ? await requireLogin(w, by, changes.assigneeID) : null;
    const { rows, fail } = await lockTarget(ctx, w, by, target, changes);
    const mayView = await findViewers(w, login ? rows : []);
    const changed: store.LockedIssue[] = [];
    for (const row of rows) {
      if (!row.canEdit) fail.push(failure(row.id, errorCode.noEdit, reasons.noEdit));
      else if (login && !mayView(login, row))
        fail.push(failure(row.id, errorCode.invalidArgument, reasons.cantView(login.email)));
      else changed.push(row);
    }
    await apply(ctx, w, by, changed, { ...changes, login });
    return { success: changed.length, fail, undoID: by.request.id };
  });
}

function requireSnoozeTime(ctx: Context, until: string | null | undefined): void {
  if (!until) return;
  const ms = Date.parse(until) - ctx.clock.now();
  const refuse = (details: { reason: string }) =>
    new AppError(errorCode.invalidArgument, { field: "changes.snoozedUntil", ...details });
  if (ms <= 0) throw refuse(reasons.snoozePast);
  if (ms > maxSnoozeDays * dayMs) throw refuse(reasons.snoozeLong);
}

/** Throws 102 unless it is a login that can sign in, and the caller may view its account. */
async function requireLogin(w: UnitOfWork, caller: Caller, id: string): Promise<Login> {
  const login = (await lockLogins(w.tx, [id])).get(id.toLowerCase());
  if (!login || !isShown(caller, login))
    throw new AppError(errorCode.invalidArgument, { field: "changes.assigneeID", ...reasons.noLogin });
  return login;
}

/** Whether a login may view the sensor of one of these issues. */
async function findViewers(w: UnitOfWork, rows: readonly store.LockedIssue[]) {
  const owners = await findOwners(w.tx, [...new Set(rows.map(({ ownerId }) => ownerId))]);
  return (login: Login, { ownerId }: store.LockedIssue) => {
    const owner = owners.get(ownerId);
    return owner !== undefined && canView(login, "sensor", owner);
  };
}

/** Locks the issues. Fails for ids that are not open issues in the caller's view. */
async function lockTarget(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  { ids, query = {}, expectedCount }: AskedTarget,
  { note }: IssueChanges,
) {
  const asked = ids
    ? { ids: [...new Set(ids.map((id) => id.toLowerCase()))], snoozed: [true, false] }
    : toIssueFilter(query);
  const conditions = await toOpenIssueConditions(ctx, w.tx, caller, asked);
  const count = ids ? (asked.ids?.length ?? 0) : await countOpenIssues(w.tx, conditions);
  if (expectedCount !== undefined && expectedCount !== count)
    throw new AppError(
      errorCode.invalidArgument,
      { field: "expectedCount", count, ...reasons.changedSelection(count) },
      { status: 409 },
    );
  const field = ids ? "ids" : "query";
  if (count > maxIssuesAtOnce)
    throw new AppError(errorCode.invalidArgument, { field, ...reasons.tooMany(maxIssuesAtOnce) });
  if (note !== undefined && count > maxNotesAtOnce)
    throw new AppError(errorCode.invalidArgument, { field, ...reasons.tooManyNotes(maxNotesAtOnce) });
  const rows = await store.lockOpenIssues(w.tx, caller, conditions, maxIssuesAtOnce);
  const found = new Set(rows.map(({ id }) => id));
  const missing = ids ? (asked.ids ?? []).filter((id) => !found.has(id)) : [];
  const entries = new Map((await findReadableEntries(w.tx, caller, missing)).map((entry) => [entry.id, entry]));
  const fail = missing.map((id) => {
    const entry = entries.get(id);
    return entry ? closedFailure(entry) : { id, errMessage: errorEntry(errorCode.notFound).message };
  });
  return { rows, fail };
}

/** Why this log entry is no open issue in the caller's view. Says nothing else about a sensor that the caller can't view. */
function closedFailure({ id, isSensorVisible, isFormer, hasNewer }: ReadEntry): Failures[number] {
  if (!isSensorVisible) return failure(id, errorCode.noEdit, reasons.noView);
  const newer = hasNewer ? reasons.hasNewer : reasons.notOpen;
  return failure(id, errorCode.invalidArgument, isFormer ? reasons.formerOwner : newer);
}

/** Actions in the audit log of the sensor. */
const workActions = {
  assign: "assignIssue",
  unassign: "unassignIssue",
  snooze: "snoozeIssue",
  endSnooze: "endSnoozeOfIssue",
  note: "addIssueNote",
  removeNote: "removeIssueNote",
} as const;

type Step = { row: store.LockedIssue; before: string | null; after: string | null };

/** `shown`: values for readers of the log. `data` is for undo. */
function auditStep(w: UnitOfWork, action: string, { row, before, after }: Step, shown: object = {}): void {
  w.audit({
    action,
    object: { type: "sensor", _id: row.sensorId },
    owner: { id: row.ownerId, path: row.ownerPath },
    after: { issueType: row.type, ...shown, data: { issue: row.openedId, before, after } },
  });
}

async function apply(
  ctx: Context,
  w: UnitOfWork,
  caller: Caller,
  rows: readonly store.LockedIssue[],
  { login, assigneeID, note, snoozedUntil }: IssueChanges & { login: Login | null },
): Promise<void> {
  const now = ctx.clock.date();
  const given: store.LockedIssue[] = [];
  const work = rows.map((row) => {
    const after = { id: row.id, assigneeId: row.assigneeId, snoozedUntil: row.snoozedUntil };
    if (assigneeID !== undefined && (login?.credentialId ?? null) !== row.assigneeId) {
      after.assigneeId = login?.credentialId ?? null;
      auditAssignment(w, row, login);
      if (login) given.push(row);
    }
    const until = snoozedUntil === undefined ? row.snoozedUntil : snoozedUntil === null ? null : new Date(snoozedUntil);
    if (until?.getTime() !== row.snoozedUntil?.getTime()) {
      after.snoozedUntil = until;
      auditSnooze(w, row, until);
    }
    return after;
  });
  await store.saveWork(w.tx, work);
  if (note !== undefined) {
    const notes = rows.map((row) => ({ id: uuidv7(now.getTime()), issueId: row.openedId, ownerId: row.ownerId, row }));
    await store.insertNotes(w.tx, caller, notes, { text: note, at: now });
    for (const { id, row } of notes) auditStep(w, workActions.note, { row, before: null, after: id });
  }
  publishChanges(w, rows);
  if (login && given.length > 0 && login.credentialId !== caller.credentialId) {
    const by = login.id === caller.id ? caller.email : caller.name;
    const mail = assignmentMail(by, given, note, ctx.config.publicUrl);
    await queueMail(ctx, w, { to: login.email, ...mail });
  }
}

function auditAssignment(w: UnitOfWork, row: store.LockedIssue, login: Login | null): void {
  const step = { row, before: row.assigneeId, after: login?.credentialId ?? null };
  auditStep(w, login ? workActions.assign : workActions.unassign, step, login ? { assignedTo: login.id } : {});
}

function auditSnooze(w: UnitOfWork, row: store.LockedIssue, until: Date | null): void {
  const after = until?.toISOString() ?? null;
  const step = { row, before: row.snoozedUntil?.toISOString() ?? null, after };
  auditStep(w, until ? workActions.snooze : workActions.endSnooze, step, until ? { until: after } : {});
}

function publishChanges(w: UnitOfWork, rows: readonly store.LockedIssue[]): void {
  for (const { id, ownerId } of rows)
    publishEntity(w, { type: "issue", op: "update", id, ownerBefore: ownerId, ownerAfter: ownerId });
}

const undoWindowMs = 3_600_000;

/**
 * Restores assignees and snoozes from before the requests, unless they were changed again, and removes the notes. A login that was
 * deleted or may no longer view the sensor is not assigned again.
 */
export async function undoOpenIssueChanges(
  ctx: Context,
  caller: Caller,
  { undoIDs }: HandlerInput<typeof undoIssueChanges>["body"],
): Promise<BatchReply> {
  return write(ctx, caller, async (w) => {
    await lockRights(w.tx, "use");
    const by = await reloadCaller(w.tx, caller);
    const since = new Date(ctx.clock.now() - undoWindowMs);
    const { assign, unassign, snooze, endSnooze, note } = workActions;
    const actions = [assign, unassign, snooze, endSnooze, note];
    const steps = await store.findDoneWork(w.tx, by, undoIDs, actions, since);
    const done = Map.groupBy(steps, ({ openedId }) => openedId);
    const logins = await lockLogins(
      w.tx,
      steps.flatMap(({ action, before }) => (isAssignment(action) ? (before ?? []) : [])),
    );
    const rows = await store.lockOpenIssues(
      w.tx,
      by,
      [seesOpenIssue(by), store.startedWith([...done.keys()])],
      maxIssuesAtOnce,
    );
    const mayView = await findViewers(w, rows);
    const fail: Failures = [];
    const restored: store.LockedIssue[] = [];
    const work: { id: string; assigneeId: string | null; snoozedUntil: Date | null }[] = [];
    const notes: string[] = [];
    for (const row of rows) {
      const before = row.canEdit ? restore(row, done.get(row.openedId) ?? []) : null;
      if (!row.canEdit) fail.push(failure(row.id, errorCode.noEdit, reasons.noEdit));
      else if (before === null) fail.push({ id: row.id, errMessage: changedMeanwhile });
      else {
        const login = before.assigneeId === null ? undefined : logins.get(before.assigneeId);
        if (before.assigneeId !== row.assigneeId && !(login && mayView(login, row))) before.assigneeId = null;
        restored.push(row);
        work.push(before);
        notes.push(...before.notes);
        if (before.assigneeId !== row.assigneeId) auditRestored(w, row, before.assigneeId);
        if (before.snoozedUntil?.getTime() !== row.snoozedUntil?.getTime()) auditSnooze(w, row, before.snoozedUntil);
        for (const id of before.notes) auditStep(w, workActions.removeNote, { row, before: id, after: null });
      }
    }
    await store.saveWork(w.tx, work);
    await store.deleteNotes(w.tx, notes);
    publishChanges(w, restored);
    return { success: restored.length, fail };
  });
}

function auditRestored(w: UnitOfWork, row: store.LockedIssue, assigneeId: string | null): void {
  const action = assigneeId === null ? workActions.unassign : workActions.assign;
  auditStep(w, action, { row, before: row.assigneeId, after: assigneeId });
}

const isAssignment = (action: string) => action === workActions.assign || action === workActions.unassign;

/** The work before these steps; null if one of its values was changed again since. */
function restore(row: store.LockedIssue, steps: readonly store.DoneWork[]) {
  const before = { id: row.id, assigneeId: row.assigneeId, snoozedUntil: row.snoozedUntil, notes: [] as string[] };
  for (const step of steps.toReversed()) {
    if (step.action === workActions.note) {
      if (step.after !== null) before.notes.push(step.after);
    } else if (isAssignment(step.action)) {
      if (before.assigneeId !== step.after) return null;
      before.assigneeId = step.before;
    } else {
      if ((before.snoozedUntil?.toISOString() ?? null) !== step.after) return null;
      before.snoozedUntil = step.before === null ? null : new Date(step.before);
    }
  }
  return before;
}
