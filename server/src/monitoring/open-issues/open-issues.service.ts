// Use cases of the list of open issues, their number, and what people see of the work on an issue
// (docs/rules/monitoring.md#open-issues).
import { errorCode } from "@psp/contract/errors.ts";
import type { Assignee, Issue, IssueNote, ListedIssue } from "@psp/contract/monitoring/issue.ts";
import { type SortKey } from "@psp/contract/kit/page.ts";
import { canView } from "@psp/contract/permission/can.ts";
import type { Context } from "../../context.ts";
import type { Reader } from "../../db/database.ts";
import type { PageSlice } from "../../db/list.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { taggedLocations } from "../../location/location.service.ts";
import { findOwners } from "../../owned/owner.ts";
import type { IssueFilter, IssueRow } from "../issue/issue.store.ts";
import { findLogins, type Login } from "./login.store.ts";
import * as store from "./open-issues.store.ts";
import { findNotes, findWork, type NoteRow } from "./work.store.ts";

/** Filters of open issues as requested. */
export type AskedOpenIssues = IssueFilter & { assigneeID?: string[] | undefined; snoozed?: boolean[] | undefined };

/** Snoozed issues are left out unless `snoozed` is given. */
export async function toOpenIssueConditions(
  ctx: Context,
  reader: Reader,
  caller: Caller,
  { assigneeID, snoozed = [false], tag, ...filter }: AskedOpenIssues,
) {
  const assigned = assigneeID && {
    logins: await findNamedLogins(reader, caller, assigneeID),
    orNone: assigneeID.includes("none"),
  };
  return store.openIssueConditions(caller, {
    ...filter,
    snoozed,
    now: ctx.clock.date(),
    tagged: tag && (await store.listTaggedLocations(reader, taggedLocations(caller, tag))),
    assigned,
  });
}

/** Unknown logins, and those whose account the caller may not view, have no issues. */
async function findNamedLogins(reader: Reader, caller: Caller, ids: readonly string[]): Promise<Login[]> {
  const asked = ids.map((id) => (id === "me" ? caller.credentialId : id.toLowerCase()));
  const logins = await findLogins(reader, asked);
  return [...logins.values()].filter((login) => isShown(caller, login));
}

/** An account is always shown to itself. */
export const isShown = (caller: Caller, login: Login): boolean =>
  login.id === caller.id || canView(caller, "owner", login);

export async function listOpenIssueIds(
  ctx: Context,
  caller: Caller,
  asked: AskedOpenIssues,
  sort: readonly SortKey[],
  part: PageSlice & { includeTotals: boolean | undefined },
): Promise<{ ids: string[]; total: number | undefined; changesAt: Date | null }> {
  const other = sort.find(({ field }) => !store.openIssueSorts.includes(field));
  if (other)
    throw new AppError(errorCode.invalidArgument, {
      field: "sortBy",
      reason: `Open issues can't be sorted by ${other.field}.`,
    });
  const conditions = await toOpenIssueConditions(ctx, ctx.db, caller, asked);
  const [ids, total, changesAt] = await Promise.all([
    store.findOpenIssueIds(ctx.db, conditions, sort, part),
    part.includeTotals ? store.countOpenIssues(ctx.db, conditions) : undefined,
    store.findNextSnoozeEnd(ctx.db, caller, ctx.clock.date()),
  ]);
  return { ids, total, changesAt };
}

export async function countOpenIssues(ctx: Context, caller: Caller) {
  const now = ctx.clock.date();
  const [counts, changesAt] = await Promise.all([
    store.countBySeverity(ctx.db, caller, now),
    store.findNextSnoozeEnd(ctx.db, caller, now),
  ]);
  return { ...counts, changesAt: changesAt?.toISOString() ?? null };
}

type IssueWork = Omit<ListedIssue, keyof Issue>;
export type DescribedIssue = { work: IssueWork; notes: IssueNote[] };

/** Adds owner, location, assignee, notes and snooze, each as far as the caller may view it. */
export async function describeIssues(
  ctx: Context,
  caller: Caller,
  ids: readonly string[],
  notesEach = 1,
): Promise<(row: IssueRow) => DescribedIssue> {
  const work = await findWork(ctx.db, caller, ids);
  const all = [...work.values()];
  const [owners, logins, notes] = await Promise.all([
    findOwners(ctx.db, [...new Set(all.map(({ sensorOwnerId }) => sensorOwnerId))]),
    findLogins(
      ctx.db,
      all.flatMap(({ assigneeId }) => assigneeId ?? []),
    ),
    findNotes(
      ctx.db,
      caller,
      all.map(({ openedId }) => openedId),
      notesEach,
    ),
  ]);
  const now = ctx.clock.date();
  return (row) => {
    const one = work.get(row.id);
    const owner = one && owners.get(one.sensorOwnerId);
    const login = one?.assigneeId ? logins.get(one.assigneeId) : undefined;
    const thread = (one && notes.get(one.openedId)) ?? [];
    const snoozedUntil = one?.snoozedUntil ?? null;
    const isOpen = one !== undefined && one.openedMs !== null;
    const isOwnerShown = owner && canView(caller, "owner", owner) && canView(caller, "sensor", owner);
    return {
      work: {
        owner: isOwnerShown ? { _id: owner.id, name: owner.name } : null,
        location:
          row.locationId === null || row.locationName === null ? null : { _id: row.locationId, name: row.locationName },
        since: isOpen ? new Date(one.openedMs ?? 0).toISOString() : null,
        assignee:
          login && owner && isShown(caller, login) && canView(login, "sensor", owner) ? toAssignee(login) : null,
        note: thread[0] ? toNote(caller, thread[0]) : null,
        notesCount: thread[0]?.count ?? 0,
        snoozedUntil: snoozedUntil !== null && snoozedUntil > now ? snoozedUntil.toISOString() : null,
      },
      notes: thread.map((note) => toNote(caller, note)).toReversed(),
    };
  };
}

export const toAssignee = ({ credentialId, email, id, name }: Login): Assignee => ({
  _id: credentialId,
  email,
  account: { _id: id, name },
});

function toNote(caller: Caller, { id, text, at, accountId, accountName, email, isAuthorVisible }: NoteRow): IssueNote {
  const isVisible = isAuthorVisible || accountId === caller.id;
  return {
    _id: id,
    text,
    at: at.toISOString(),
    by: isVisible ? { _id: accountId, name: accountName, email } : null,
  };
}
