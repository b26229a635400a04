// Queries for runs of reports: one row per report and due instant, claimed by one process at a time.
import type { ReportQuery, RunState } from "@psp/contract/report/report.ts";
import type { Schedule } from "@psp/contract/report/schedule.ts";
import { sql } from "kysely";
import type { Database, Reader, Tx } from "../../db/database.ts";

export type DueReport = {
  id: string;
  ownerId: string;
  creatorId: string | null;
  query: ReportQuery;
  schedule: Schedule;
  handledTo: Date;
};

/** Locks reports that must be checked and that no other process is checking. */
export async function lockReportsToCheck(tx: Tx, now: Date, limit: number): Promise<DueReport[]> {
  const { rows } = await sql<DueReport>`
    select id, owner_id as "ownerId", creator_id as "creatorId", query, schedule, handled_to as "handledTo"
    from report where check_at <= ${now} and not is_deleted order by check_at, id limit ${limit}
    for update skip locked`.execute(tx);
  return rows;
}

export type NewRun = { id: string; reportId: string; dueAt: Date; isManual: boolean; shareKey: string };

/** A run that exists already is kept, so that each due instant has one. Returns the ids of new runs. */
export async function insertRuns(tx: Tx, runs: readonly NewRun[]): Promise<string[]> {
  if (runs.length === 0) return [];
  const rows = await tx
    .insertInto("report_run")
    .values(
      runs.map(({ id, reportId, dueAt, isManual, shareKey }) => ({
        id,
        report_id: reportId,
        due_at: dueAt,
        is_manual: isManual,
        check_at: dueAt,
        share_key: shareKey,
      })),
    )
    .onConflict((conflict) => conflict.columns(["report_id", "due_at"]).doNothing())
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

export type CheckedReport = { id: string; handledTo: Date; nextAt: Date; checkAt: Date };

export async function saveChecks(tx: Tx, checks: readonly CheckedReport[]): Promise<void> {
  if (checks.length === 0) return;
  await sql`
    update report set handled_to = u.handled, next_at = u.next, check_at = u.again
    from unnest(${checks.map(({ id }) => id)}::uuid[], ${checks.map(({ handledTo }) => handledTo)}::timestamptz[],
      ${checks.map(({ nextAt }) => nextAt)}::timestamptz[], ${checks.map(({ checkAt }) => checkAt)}::timestamptz[])
      u (id, handled, next, again)
    where report.id = u.id`.execute(tx);
}

export type DueRun = { id: string; reportId: string; dueAt: Date; isManual: boolean };

/** Locks the next due run that no other process is making. */
export async function lockDueRun(tx: Tx, now: Date): Promise<DueRun | undefined> {
  const { rows } = await sql<DueRun>`
    select id, report_id as "reportId", due_at as "dueAt", is_manual as "isManual" from report_run
    where state = 'due' and check_at <= ${now} order by check_at, share_key, id limit 1 for update skip locked`.execute(
    tx,
  );
  return rows[0];
}

/** Locks the run after a failed attempt. Returns false if it is finished, or another lane is making it. */
export async function claimAgain(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`
    select id from report_run where id = ${id} and state = 'due' for update skip locked`.execute(tx);
  return rows.length > 0;
}

export async function findReportOfRun(reader: Reader, reportId: string) {
  return reader.selectFrom("report").selectAll().where("id", "=", reportId).executeTakeFirst();
}

/** The run waits until `checkAt`. */
export async function postponeRun(reader: Reader, id: string, reason: string | null, checkAt: Date): Promise<void> {
  await sql`
    update report_run set check_at = ${checkAt}, reason = ${reason}, attempts = attempts + 1
    where id = ${id} and state = 'due'`.execute(reader);
}

export type Outcome = {
  state: Exclude<RunState, "due">;
  reason: string | null;
  days: { first: number; last: number } | null;
  locationIds: readonly string[];
  soldLocationIds: readonly string[];
  sensorIds: readonly string[];
  missing: number | null;
};

/** Returns false, and does nothing, if the run is not due any more. */
export async function finishRun(tx: Tx, run: DueRun, outcome: Outcome, now: Date): Promise<boolean> {
  const { state, reason, days, locationIds, soldLocationIds, sensorIds, missing } = outcome;
  const finished = await tx
    .updateTable("report_run")
    .set({
      state,
      reason,
      missing,
      finished_at: now,
      first_day: days?.first ?? null,
      last_day: days?.last ?? null,
      location_ids: [...locationIds],
      sold_location_ids: [...soldLocationIds],
      sensor_ids: [...sensorIds],
    })
    .where("id", "=", run.id)
    .where("state", "=", "due")
    .returning("id")
    .executeTakeFirst();
  if (!finished) return false;
  await tx
    .updateTable("report")
    .set({ last_run_at: run.dueAt, last_run_state: state })
    .where("id", "=", run.reportId)
    .execute();
  return true;
}

const maxRuns = 50;

/** Also deletes their files, except those of mails that wait, which are deleted by their age. */
export async function deleteOldRuns(tx: Tx, reportId: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from report_run where report_id = ${reportId} and state <> 'due'
    order by due_at desc offset ${maxRuns}`.execute(tx);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return;
  await sql`
    delete from mail_attachment where id in (
      select f.attachment_id from report_file f where f.run_id = any(${ids}::uuid[]) and not exists (
        select from report_delivery d where d.run_id = f.run_id and d.state = 'queued'))`.execute(tx);
  await tx.deleteFrom("report_run").where("id", "in", ids).execute();
}

/**
 * Deletes the runs of a report with their files and the mails that were not sent yet. A run that is being made is left out, because it
 * waits for the report itself; it ends as skipped.
 */
export async function deleteRuns(tx: Tx, reportId: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from report_run where report_id = ${reportId} order by id for update skip locked`.execute(tx);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return;
  await sql`
    delete from mail_outbox where sent_at is null and id in (
      select mail_id from report_delivery where run_id = any(${ids}::uuid[]) and state = 'queued')`.execute(tx);
  await sql`
    delete from mail_attachment where id in (
      select attachment_id from report_file where run_id = any(${ids}::uuid[]))`.execute(tx);
  await tx.deleteFrom("report_run").where("id", "in", ids).execute();
}

export async function stopReport(tx: Tx, id: string, reason: string): Promise<void> {
  await tx.updateTable("report").set({ stopped: reason, check_at: null, next_at: null }).where("id", "=", id).execute();
}

export async function hasDueRun(tx: Tx, reportId: string): Promise<boolean> {
  const row = await tx
    .selectFrom("report_run")
    .select("id")
    .where("report_id", "=", reportId)
    .where("state", "=", "due")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertDeliveries(
  tx: Tx,
  runId: string,
  mails: readonly { email: string; mailId: string }[],
): Promise<void> {
  if (mails.length === 0) return;
  await tx
    .insertInto("report_delivery")
    .values(mails.map(({ email, mailId }) => ({ run_id: runId, email, mail_id: mailId })))
    .execute();
}

export async function insertFile(tx: Tx, runId: string, format: string, attachmentId: string): Promise<void> {
  await tx.insertInto("report_file").values({ run_id: runId, format, attachment_id: attachmentId }).execute();
}

export async function findQueuedDeliveries(db: Reader, after: string | null, limit: number) {
  const { rows } = await sql<{ mailId: string; reportId: string; email: string; isManual: boolean }>`
    select d.mail_id as "mailId", r.report_id as "reportId", d.email, r.is_manual as "isManual"
    from report_delivery d join report_run r on r.id = d.run_id
    where d.state = 'queued' and (${after}::uuid is null or d.mail_id > ${after}::uuid) order by d.mail_id limit ${limit}`.execute(
    db,
  );
  return rows;
}

export async function saveDeliveries(
  tx: Tx,
  outcomes: readonly { mailId: string; state: "sent" | "refused"; reason: string | null }[],
): Promise<void> {
  await sql`
    update report_delivery set state = u.state, reason = u.reason
    from unnest(${outcomes.map(({ mailId }) => mailId)}::uuid[], ${outcomes.map(({ state }) => state)}::text[],
      ${outcomes.map(({ reason }) => reason)}::text[]) u (mail_id, state, reason)
    where report_delivery.mail_id = u.mail_id and report_delivery.state = 'queued'`.execute(tx);
}

export async function findRuns(db: Reader, reportId: string) {
  const { rows } = await sql<{
    id: string;
    dueAt: Date;
    isManual: boolean;
    state: RunState;
    reason: string | null;
    finishedAt: Date | null;
    firstDay: number | null;
    lastDay: number | null;
    locations: number;
    missing: number | null;
    deliveries: { email: string; state: "queued" | "sent" | "refused"; reason: string | null }[];
    files: { format: string; name: string; size: number }[];
  }>`
    select r.id, r.due_at as "dueAt", r.is_manual as "isManual", r.state, r.reason, r.finished_at as "finishedAt",
      r.first_day as "firstDay", r.last_day as "lastDay", cardinality(r.location_ids) as locations, r.missing,
      coalesce((select jsonb_agg(jsonb_build_object('email', d.email, 'state', d.state, 'reason', d.reason) order by d.email)
        from report_delivery d where d.run_id = r.id), '[]') as deliveries,
      coalesce((select jsonb_agg(jsonb_build_object('format', f.format, 'name', a.name, 'size', octet_length(a.content)) order by f.format)
        from report_file f join mail_attachment a on a.id = f.attachment_id where f.run_id = r.id), '[]') as files
    from report_run r where r.report_id = ${reportId} order by r.due_at desc limit ${maxRuns}`.execute(db);
  return rows;
}

export async function findFile(db: Database, reportId: string, runId: string, format: string) {
  type File = { name: string; content: Buffer; locationIds: string[]; soldLocationIds: string[]; sensorIds: string[] };
  const { rows } = await sql<File>`
    select a.name, a.content, r.location_ids as "locationIds", r.sold_location_ids as "soldLocationIds",
      case when f.format = 'pdf' then r.sensor_ids else '{}' end as "sensorIds"
    from report_run r join report_file f on f.run_id = r.id join mail_attachment a on a.id = f.attachment_id
    where r.id = ${runId} and r.report_id = ${reportId} and f.format = ${format}`.execute(db);
  return rows[0];
}

export async function countLiving(reader: Reader, locationIds: readonly string[]): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from location where id = any(${[...locationIds]}::uuid[]) and not is_deleted`.execute(reader);
  return rows[0]?.n ?? 0;
}
