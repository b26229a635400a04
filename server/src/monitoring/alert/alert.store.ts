// Queries for issue mails and their recipients (ADR 0022).
import { sql } from "kysely";
import { isAtOrBelow } from "../../db/account-path.ts";
import { toPgColumn, toPgArray } from "../../db/arrays.ts";
import type { Reader, Tx } from "../../db/database.ts";
import type { AlertedIssue } from "./alert-mail.rules.ts";

export async function findLoginsByAccount(reader: Reader, accountIds: readonly string[]) {
  const { rows } = await sql<{ accountId: string; id: string; email: string }>`
    select c.account_id as "accountId", c.id, c.email from credential c join account a on a.id = c.account_id
    where c.account_id = any(${[...new Set(accountIds)]}::uuid[]) and c.step = 2 and not c.is_deleted and not a.is_deleted
    order by c.position, c.id`.execute(reader);
  return Map.groupBy(rows, ({ accountId }) => accountId);
}

export type NewAlert = {
  statusId: string;
  recipient: string;
  credentialId: string | null;
  accountId: string;
  dueMs: number;
  isDeferred: boolean;
};

export async function insertAlerts(tx: Tx, alerts: readonly NewAlert[]): Promise<void> {
  if (alerts.length === 0) return;
  await sql`
    insert into alert (status_id, recipient, credential_id, account_id, due_at, is_deferred)
    select status, recipient, credential, account, to_timestamp(due / 1000.0), deferred from unnest(
      ${alerts.map((a) => a.statusId)}::uuid[], ${alerts.map((a) => a.recipient)}::text[], ${alerts.map((a) => a.credentialId)}::uuid[],
      ${alerts.map((a) => a.accountId)}::uuid[], ${toPgColumn(alerts, (a) => a.dueMs)}::float8[], ${toPgColumn(alerts, (a) => a.isDeferred)}::boolean[])
      u (status, recipient, credential, account, due, deferred)`.execute(tx);
}

/**
 * Returns, for each sensor, the milliseconds from its own disconnection to the latest disconnection of another monitored sensor at its
 * location. Disconnections more than `withinMs` later are ignored.
 */
export async function findOutageDelays(reader: Reader, nums: readonly number[], withinMs: number) {
  if (nums.length === 0) return new Map<number, number>();
  const { rows } = await sql<{ num: number; laterMs: number }>`
    select s.num, extract(epoch from max(o.silent_since - s.silent_since))::float8 * 1000 as "laterMs"
    from sensor s join sensor o on o.location_id = s.location_id and o.silent_since > s.silent_since
      and o.silent_since <= s.silent_since + make_interval(secs => ${withinMs / 1000}) and o.license_monitoring and not o.is_deleted
    where s.num = any(${toPgArray(nums)}::int[]) group by s.num`.execute(reader);
  return new Map(rows.map(({ num, laterMs }) => [num, laterMs]));
}

export async function findDueRecipients(
  reader: Reader,
  now: Date,
  minMailGapMs: number,
  limit: number,
): Promise<string[]> {
  const since = new Date(now.getTime() - minMailGapMs);
  const { rows } = await sql<{ recipient: string }>`
    select distinct a.recipient from alert a left join alert_recipient r on r.recipient = a.recipient
    where a.sent_at is null and a.dropped is null and a.due_at <= ${now} and (r.mailed_at is null or r.mailed_at <= ${since})
    order by a.recipient limit ${limit}`.execute(reader);
  return rows.map(({ recipient }) => recipient);
}

export type DueAlert = AlertedIssue & {
  id: string;
  statusId: string;
  isDeferred: boolean;
  credentialId: string | null;
  /** Whether the configuration's account still owns the sensor or its location, and the login still belongs to one of these owners. */
  isStillTheirs: boolean;
  /** Whether the recipient is a registered login of that account or of an account below it. */
  isOwnTree: boolean;
  /** For an all-clear: whether the issue has come up again. */
  isBack: boolean;
  /** Whether a mail about a later state, or the all-clear, is queued for or was sent to the recipient. */
  isFollowed: boolean;
};

/**
 * Locks and returns the recipient's unsent alerts, except those that are deferred to another day and not due yet. Errors come first,
 * then warnings, then all-clears; within each group, the oldest comes first.
 */
export async function lockDueAlerts(tx: Tx, recipient: string, now: Date): Promise<DueAlert[]> {
  const { rows } = await sql<DueAlert>`
    select a.id, a.status_id as "statusId", a.is_deferred as "isDeferred", a.credential_id as "credentialId",
      (a.account_id is null or a.account_id in (s.owner_id, l.owner_id)) and (a.credential_id is null or exists (
        select from credential c join account o on o.id = c.account_id
        where c.id = a.credential_id and c.step = 2 and not c.is_deleted and not o.is_deleted and c.email = a.recipient
          and o.id in (s.owner_id, l.owner_id)
      )) as "isStillTheirs",
      exists (
        select from credential c join account o on o.id = c.account_id join account t on t.id = a.account_id
        where lower(c.email) = lower(a.recipient) and c.step = 2 and not c.is_deleted and not o.is_deleted
          and ${isAtOrBelow("o.path", sql.ref("t.path"))}
      ) as "isOwnTree",
      a.over_at is not null as "isOver",
      exists (select from sensor_issue i where i.sensor_num = m.sensor_num and i.issue_type = m.issue_type) as "isBack",
      exists (
        select from monitoring_status n join alert f on f.status_id = n.id
        where n.sensor_num = m.sensor_num and n.issue_type = m.issue_type and n.start_ms > m.start_ms
          and f.recipient = a.recipient and f.dropped is null and (f.over_at is null or n.id = a.over_by)
      ) as "isFollowed",
      s.id as "sensorId", m.issue_type as "issueType", m.issue_status as "issueStatus", m.issue_message as message,
      coalesce((extract(epoch from (m.facts ->> 'since')::timestamptz) * 1000)::float8, m.start_ms) as "sinceMs", l.id as "locationId", l.name as "locationName", l.timezone as zone
    from alert a join monitoring_status m on m.id = a.status_id join sensor s on s.num = m.sensor_num
    left join location l on l.id = m.location_id and not l.is_deleted
    where a.recipient = ${recipient} and a.sent_at is null and a.dropped is null
      and (a.due_at <= ${now} or not a.is_deferred)
    order by m.issue_status = 'Ok', m.issue_status, m.start_ms, s.id for update of a`.execute(tx);
  return rows;
}

/**
 * Records a mail to this recipient. Returns false if the last one was sent less than `minMailGapMs` ago. Waits for concurrent calls.
 */
export async function recordMail(tx: Tx, recipient: string, now: Date, minMailGapMs: number): Promise<boolean> {
  const { rows } = await sql<{ recipient: string }>`
    insert into alert_recipient as r (recipient, mailed_at) values (${recipient}, ${now})
    on conflict (recipient) do update set mailed_at = excluded.mailed_at
      where r.mailed_at <= ${new Date(now.getTime() - minMailGapMs)}
    returning r.recipient`.execute(tx);
  return rows.length > 0;
}

export async function saveAlertOutcomes(
  tx: Tx,
  ids: readonly string[],
  as: { sentAt: Date } | { dropped: string },
): Promise<void> {
  if (ids.length === 0) return;
  const set = "sentAt" in as ? sql`sent_at = ${as.sentAt}` : sql`dropped = ${as.dropped}`;
  await sql`update alert set ${set} where id = any(${[...ids]}::bigint[])`.execute(tx);
}

export async function findAlertsByStatus(reader: Reader, statusId: string) {
  return reader
    .selectFrom("alert")
    .leftJoin("alert_recipient", "alert_recipient.recipient", "alert.recipient")
    .select(["alert.recipient", "due_at", "is_deferred", "sent_at", "dropped", "mailed_at"])
    .where("status_id", "=", statusId)
    .orderBy("alert.id")
    .execute();
}

export async function findUnsubscribed(reader: Reader, recipients: readonly string[]): Promise<Set<string>> {
  if (recipients.length === 0) return new Set();
  const rows = await reader
    .selectFrom("alert_address")
    .select("recipient")
    .where("recipient", "in", [...recipients])
    .where("ended_at", "is not", null)
    .execute();
  return new Set(rows.map(({ recipient }) => recipient));
}

/** State of an additional address, shared by all accounts that use it. */
export type AlertAddress = {
  isConfirmed: boolean;
  hasEnded: boolean;
  mails: number;
};

export async function findAddress(reader: Reader, recipient: string): Promise<AlertAddress> {
  const row = await reader
    .selectFrom("alert_address")
    .select(["confirmed_at", "ended_at", "mails"])
    .where("recipient", "=", recipient)
    .executeTakeFirst();
  return { isConfirmed: Boolean(row?.confirmed_at), hasEnded: Boolean(row?.ended_at), mails: row?.mails ?? 0 };
}

export async function countUnconfirmedMail(tx: Tx, recipient: string): Promise<void> {
  await sql`
    insert into alert_address as a (recipient, mails) values (${recipient}, 1)
    on conflict (recipient) do update set mails = a.mails + 1`.execute(tx);
}

/** Also subscribes the address again. */
export async function confirmAddress(tx: Tx, recipient: string, now: Date): Promise<void> {
  await sql`
    insert into alert_address as a (recipient, confirmed_at) values (${recipient}, ${now})
    on conflict (recipient) do update set confirmed_at = coalesce(a.confirmed_at, excluded.confirmed_at), ended_at = null`.execute(
    tx,
  );
}

export async function unsubscribeAddress(tx: Tx, recipient: string, now: Date): Promise<void> {
  await sql`
    insert into alert_address as a (recipient, ended_at) values (${recipient}, ${now})
    on conflict (recipient) do update set ended_at = coalesce(a.ended_at, excluded.ended_at)`.execute(tx);
}

/** Prevents other transactions from mailing or unsubscribing this recipient until this one ends. */
export async function lockRecipient(tx: Tx, recipient: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`alerts ${recipient}`}, 0))`.execute(tx);
}

/**
 * Drops unsent alerts for an additional address. Alerts in withdrawn mails, which were queued at `queuedAt`, are dropped too; those
 * for a login wait for the next mail.
 */
export async function withdrawAlerts(
  tx: Tx,
  recipient: string,
  queuedAt: readonly Date[],
  reason: string,
): Promise<void> {
  await sql`
    update alert set sent_at = null, dropped = case when credential_id is null then ${reason} end
    where recipient = ${recipient} and (
      (sent_at is null and dropped is null and credential_id is null) or sent_at = any(${[...queuedAt]}::timestamptz[]))`.execute(
    tx,
  );
}

export async function deleteOldAlertRecipients(reader: Reader, until: Date): Promise<void> {
  await sql`delete from alert_recipient where mailed_at <= ${until}`.execute(reader);
}
