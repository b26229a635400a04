// Queries for work on open issues: locks, assignments, snoozes and notes.
import { resolveViewScope } from "@psp/contract/permission/can.ts";
import type { IssueStatus, IssueType } from "@psp/contract/monitoring/issue-words.ts";
import { sql } from "kysely";
import type { Reader, Tx } from "../../db/database.ts";
import { type Condition, conjunction } from "../../db/list.ts";
import { whereEditable, whereOwnerIn, whereViewable } from "../../db/visible.ts";
import type { Caller } from "../../kit/caller.ts";
import { seesOpenIssue } from "./open-issues.store.ts";

export type LockedIssue = {
  /** Its present log entry. */
  id: string;
  /** The log entry with which it began. */
  openedId: string;
  num: number;
  sensorId: string;
  ownerId: string;
  ownerPath: string;
  type: IssueType;
  status: IssueStatus;
  assigneeId: string | null;
  snoozedUntil: Date | null;
  canEdit: boolean;
};

export async function lockOpenIssues(tx: Tx, caller: Caller, conditions: readonly Condition[], limit: number) {
  const edits = whereEditable(caller, "sensor", "i");
  const { rows } = await sql<LockedIssue>`
    select i.status_id as id, coalesce(i.opened_id, i.status_id) as "openedId", i.sensor_num as num, i.sensor_id as "sensorId",
      i.owner_id as "ownerId", i.owner_path as "ownerPath", i.issue_type as type, i.issue_status as status,
      i.assignee_id as "assigneeId", i.snoozed_until as "snoozedUntil", ${edits} as "canEdit"
    from sensor_issue i where ${conjunction(conditions)}
    order by i.sensor_num, i.issue_type limit ${limit} for update of i`.execute(tx);
  return rows;
}

export const startedWith = (openedIds: readonly string[]): Condition =>
  sql<boolean>`i.opened_id = any(${[...openedIds]}::uuid[])`;

type Work = { id: string; assigneeId: string | null; snoozedUntil: Date | null };

export async function saveWork(tx: Tx, work: readonly Work[]): Promise<void> {
  if (work.length === 0) return;
  await sql`
    update sensor_issue i set assignee_id = w.assignee, snoozed_until = w.snoozed
    from unnest(${work.map(({ id }) => id)}::uuid[], ${work.map(({ assigneeId }) => assigneeId)}::uuid[],
      ${work.map(({ snoozedUntil }) => snoozedUntil?.toISOString() ?? null)}::timestamptz[]) w (id, assignee, snoozed)
    where i.status_id = w.id`.execute(tx);
}

export type NewNote = { id: string; issueId: string; ownerId: string };

export async function insertNotes(
  tx: Tx,
  caller: Caller,
  notes: readonly NewNote[],
  { text, at }: { text: string; at: Date },
): Promise<void> {
  if (notes.length === 0) return;
  await sql`
    insert into issue_note (id, issue_id, owner_id, at, account_id, credential_id, text)
    select id, issue, owner, ${at}::timestamptz, ${caller.id}::uuid, ${caller.credentialId}::uuid, ${text}::text
    from unnest(${notes.map(({ id }) => id)}::uuid[], ${notes.map(({ issueId }) => issueId)}::uuid[],
      ${notes.map(({ ownerId }) => ownerId)}::uuid[]) n (id, issue, owner)`.execute(tx);
}

export async function deleteNotes(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`delete from issue_note where id = any(${[...ids]}::uuid[])`.execute(tx);
}

export type NoteRow = {
  id: string;
  issueId: string;
  count: number;
  text: string;
  at: Date;
  accountId: string;
  accountName: string;
  /** Null if the login was deleted. */
  email: string | null;
  isAuthorVisible: boolean;
};

/** The last notes of each issue, newest first, as far as the caller may view sensors of the account that owned the sensor then. */
export async function findNotes(db: Reader, caller: Caller, issueIds: readonly string[], each: number) {
  if (issueIds.length === 0) return new Map<string, NoteRow[]>();
  const sees = whereOwnerIn(resolveViewScope(caller, "sensor"), caller, { id: "o.id", path: "o.path" });
  const author = whereViewable(caller, "owner", "a");
  const { rows } = await sql<NoteRow>`
    select n.id, n.issue_id as "issueId", n.count, n.text, n.at, a.id as "accountId", a.name as "accountName",
      case when not c.is_deleted then c.email end as email, ${author} as "isAuthorVisible"
    from unnest(${[...new Set(issueIds)]}::uuid[]) w (id)
    cross join lateral (
      select n.*, count(*) over () as count from issue_note n join account o on o.id = n.owner_id
      where n.issue_id = w.id and ${sees} order by n.id desc limit ${each}
    ) n join account a on a.id = n.account_id left join credential c on c.id = n.credential_id
    order by n.id desc`.execute(db);
  return Map.groupBy(rows, ({ issueId }) => issueId);
}

export type WorkRow = {
  id: string;
  openedId: string;
  sensorOwnerId: string;
  /** Null unless this is the present state, and the caller may view the sensor. */
  openedMs: number | null;
  assigneeId: string | null;
  snoozedUntil: Date | null;
};

export async function findWork(db: Reader, caller: Caller, ids: readonly string[]): Promise<Map<string, WorkRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<WorkRow>`
    select m.id, coalesce(m.opened_id, m.id) as "openedId", s.owner_id as "sensorOwnerId", i.opened_ms as "openedMs",
      i.assignee_id as "assigneeId", i.snoozed_until as "snoozedUntil"
    from monitoring_status m join sensor s on s.num = m.sensor_num
    left join sensor_issue i on i.status_id = m.id and ${seesOpenIssue(caller)}
    where m.id = any(${[...ids]}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** What the caller's earlier requests did, from the audit log. */
export type DoneWork = { action: string; openedId: string; before: string | null; after: string | null };

export async function findDoneWork(
  tx: Tx,
  caller: Caller,
  requestIds: readonly string[],
  actions: readonly string[],
  since: Date,
): Promise<DoneWork[]> {
  const { rows } = await sql<DoneWork>`
    select action, after -> 'data' ->> 'issue' as "openedId", after -> 'data' ->> 'before' as before, after -> 'data' ->> 'after' as after
    from audit where account_id = ${caller.id} and at >= ${since} and request_id = any(${[...requestIds]}::text[])
      and object_type = 'sensor' and action = any(${[...actions]}::text[])
    order by at, id`.execute(tx);
  return rows;
}

export type Assignment = { assigneeId: string; ownerId: string };

/** The next pairs of assignee and owner after this one, in the order of the index. */
export async function findAssignments(db: Reader, after: Assignment | null, limit: number): Promise<Assignment[]> {
  const rest = after
    ? sql<boolean>`(assignee_id, owner_id) > (${after.assigneeId}::uuid, ${after.ownerId}::uuid)`
    : sql<boolean>`true`;
  const { rows } = await sql<Assignment>`
    select distinct assignee_id as "assigneeId", owner_id as "ownerId" from sensor_issue
    where assignee_id is not null and owner_id is not null and ${rest} order by 1, 2 limit ${limit}`.execute(db);
  return rows;
}

/** Returns the log entries and owners of the issues that are no longer assigned. */
export async function endAssignments(tx: Tx, pairs: readonly Assignment[]): Promise<{ id: string; ownerId: string }[]> {
  if (pairs.length === 0) return [];
  const { rows } = await sql<{ id: string; ownerId: string }>`
    with gone as (
      select i.sensor_num, i.issue_type from sensor_issue i
      join unnest(${pairs.map((p) => p.assigneeId)}::uuid[], ${pairs.map((p) => p.ownerId)}::uuid[]) p (assignee, owner)
        on i.assignee_id = p.assignee and i.owner_id = p.owner
      order by i.sensor_num, i.issue_type for update of i
    )
    update sensor_issue i set assignee_id = null from gone
    where i.sensor_num = gone.sensor_num and i.issue_type = gone.issue_type returning i.status_id as id, i.owner_id as "ownerId"`.execute(
    tx,
  );
  return rows;
}
