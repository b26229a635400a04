// Queries for sessions on device pages.
import { type Insertable, type Selectable, sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { whereViewable } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";

export type SessionRow = Selectable<Tables["remote_session"]>;
export type DevicePageSensor = {
  num: number;
  id: string;
  owner_id: string;
  owner_path: string;
  psconnect: { connectionStatus: string } | null;
};
export type DevicePageSessionRow = SessionRow & { sensor_id: string; label: string };

export async function findDevicePageSensor(
  reader: Reader,
  caller: Caller,
  id: string,
): Promise<DevicePageSensor | null> {
  const { rows } = await sql<DevicePageSensor>`select num, id, owner_id, owner_path, psconnect from sensor
    where id = ${id} and not is_deleted and ${whereViewable(caller, "sensor", "sensor")}`.execute(reader);
  return rows[0] ?? null;
}

/** Finds current sessions of one sensor, oldest first. Not paged, because their number is limited when they are requested. */
export async function findSessions(reader: Reader, sensorNum: number, now: Date): Promise<SessionRow[]> {
  return currentSessions(reader, sensorNum, now).selectAll().execute();
}

export async function findCurrentSessions(
  tx: Tx,
  sensorNum: number,
  now: Date,
): Promise<{ id: string; account_id: string }[]> {
  return currentSessions(tx, sensorNum, now).select(["id", "account_id"]).execute();
}

/** Overdue sessions do not count, even if the job has not ended them yet. */
function currentSessions(reader: Reader, sensorNum: number, now: Date) {
  return reader
    .selectFrom("remote_session")
    .where("sensor_num", "=", sensorNum)
    .where("ended_at", "is", null)
    .where((eb) =>
      eb.or([
        eb("until", ">", now),
        eb("consent", "=", "waiting"),
        eb("token_until", ">", now),
        eb.and([eb("consent", "=", "given"), eb("started_at", "is", null)]),
      ]),
    )
    .orderBy("asked_at")
    .orderBy("id")
    .limit(200);
}

/** Requests for sessions at this sensor wait for each other. */
export async function serializeRequests(tx: Tx, sensorNum: number): Promise<void> {
  await sql`select from sensor where num = ${sensorNum} for no key update`.execute(tx);
}

export async function lockSession(tx: Tx, sensorNum: number, id: string): Promise<SessionRow | undefined> {
  return tx
    .selectFrom("remote_session")
    .selectAll()
    .where("id", "=", id)
    .where("sensor_num", "=", sensorNum)
    .where("ended_at", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function findConsentedSession(
  tx: Tx,
  sensorNum: number,
  accountId: string,
  mode: string,
): Promise<SessionRow | undefined> {
  return tx
    .selectFrom("remote_session")
    .selectAll()
    .where("sensor_num", "=", sensorNum)
    .where("account_id", "=", accountId)
    .where("mode", "=", mode)
    .where("ended_at", "is", null)
    .where("started_at", "is", null)
    .where("consent", "is not", null)
    .orderBy("asked_at")
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function findSessionsOfAncestors(
  reader: Reader,
  ownerId: string,
  accountIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from remote_session
    where owner_id = ${ownerId} and account_id = any(${[...accountIds]}::uuid[]) and ended_at is null
    order by id for no key update`.execute(reader);
  return rows.map(({ id }) => id);
}

export async function countConsentRequests(
  reader: Reader,
  ownerId: string,
  accountId: string,
  since: Date,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from (select from remote_session
    where owner_id = ${ownerId} and account_id = ${accountId} and consent is not null and asked_at > ${since} limit 100) s`.execute(
    reader,
  );
  return rows[0]?.n ?? 0;
}

/** Null if the console session has ended. */
export async function findEmailOfSession(reader: Reader, sessionId: string): Promise<string | null> {
  const login = await reader
    .selectFrom("session")
    .innerJoin("credential", "credential.id", "session.credential_id")
    .select("credential.email")
    .where("session.id", "=", sessionId)
    .where("credential.is_deleted", "=", false)
    .executeTakeFirst();
  return login?.email ?? null;
}

export async function insertSession(tx: Tx, values: Insertable<Tables["remote_session"]>): Promise<SessionRow> {
  return tx.insertInto("remote_session").values(values).returningAll().executeTakeFirstOrThrow();
}

export async function updateSession(
  tx: Tx,
  id: string,
  values: Partial<
    Pick<
      Insertable<Tables["remote_session"]>,
      "consent" | "until" | "minutes" | "token_hash" | "token_until" | "session_id"
    >
  >,
): Promise<SessionRow> {
  return tx.updateTable("remote_session").set(values).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

const pageColumns = sql`r.*, s.id as sensor_id, s.wire_id as label`;

/** Finds the session of a link's token on this device host, without opening it. */
export async function findSessionByToken(
  reader: Reader,
  hash: Buffer,
  label: string,
  now: Date,
): Promise<DevicePageSessionRow | null> {
  const { rows } =
    await sql<DevicePageSessionRow>`select ${pageColumns} from remote_session r join sensor s on s.num = r.sensor_num
    where r.token_hash = ${hash} and r.token_until > ${now} and r.ended_at is null and r.started_at is null
      and s.wire_id = ${label} and not s.is_deleted and s.owner_id = r.owner_id`.execute(reader);
  return rows[0] ?? null;
}

/** Exchanges a one-time token for a session. Atomic: concurrent calls with the same token open one session. */
export async function openSession(
  tx: Tx,
  id: string,
  { tokenHash, cookieHash, now }: { tokenHash: Buffer; cookieHash: Buffer; now: Date },
): Promise<boolean> {
  const { rows } = await sql`update remote_session
    set token_hash = null, token_until = null, cookie_hash = ${cookieHash}, started_at = ${now},
      until = ${now}::timestamptz + make_interval(mins => minutes)
    where id = ${id} and token_hash = ${tokenHash} and token_until > ${now} and ended_at is null returning id`.execute(
    tx,
  );
  return rows.length === 1;
}

export async function findSessionByCookie(
  reader: Reader,
  hash: Buffer,
  now: Date,
): Promise<DevicePageSessionRow | null> {
  const { rows } =
    await sql<DevicePageSessionRow>`select ${pageColumns} from remote_session r join sensor s on s.num = r.sensor_num
    where r.cookie_hash = ${hash} and r.ended_at is null and r.until > ${now} and not s.is_deleted
      and s.owner_id = r.owner_id`.execute(reader);
  return rows[0] ?? null;
}

export async function findOpenCookies(reader: Reader, now: Date): Promise<Buffer[]> {
  const rows = await reader
    .selectFrom("remote_session")
    .select("cookie_hash")
    .where("ended_at", "is", null)
    .where("cookie_hash", "is not", null)
    .where("until", ">", now)
    .execute();
  return rows.flatMap(({ cookie_hash: hash }) => hash ?? []);
}

export type EndedSession = {
  id: string;
  sensor_id: string;
  owner_id: string;
  owner_path: string;
  account_id: string;
  mode: string;
  started_at: Date | null;
  ended_why: string;
};

export async function endSessions(tx: Tx, ids: readonly string[], why: string, now: Date): Promise<EndedSession[]> {
  const { rows } = await sql<EndedSession>`
    update remote_session r set ended_at = ${now}, ended_why = ${why}, token_hash = null, cookie_hash = null
    from sensor s join account o on true
    where r.id = any(${[...ids]}::uuid[]) and r.ended_at is null and s.num = r.sensor_num and o.id = r.owner_id
    returning r.id, s.id as sensor_id, r.owner_id, o.path as owner_path, r.account_id, r.mode, r.started_at, r.ended_why`.execute(
    tx,
  );
  return rows;
}

/** Finds expired sessions, unused links and unanswered requests. */
export async function findOverdueSessions(reader: Reader, now: Date, askedBefore: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from remote_session where ended_at is null and (
      until <= ${now}
      or (started_at is null and consent is null and token_until <= ${now})
      or (started_at is null and asked_at <= ${askedBefore})) limit 500`.execute(reader);
  return rows.map(({ id }) => id);
}

/** Counts a write by method and path. Once a session has `max` combinations, new ones are ignored. */
export async function recordWrite(
  reader: Reader,
  sessionId: string,
  method: string,
  path: string,
  max: number,
): Promise<void> {
  await sql`insert into remote_write (session_id, method, path)
    select ${sessionId}, ${method}, ${path}
    where (select count(*) from remote_write where session_id = ${sessionId}) < ${max}
      or exists (select from remote_write where session_id = ${sessionId} and method = ${method} and path = ${path})
    on conflict (session_id, method, path) do update set times = remote_write.times + 1`.execute(reader);
}

export async function findWrites(reader: Reader, ids: readonly string[]) {
  return reader
    .selectFrom("remote_write")
    .selectAll()
    .where("session_id", "in", [...ids])
    .orderBy("session_id")
    .orderBy("path")
    .orderBy("method")
    .execute();
}

export async function deleteOldSessions(reader: Reader, endedBefore: Date): Promise<void> {
  await reader.deleteFrom("remote_session").where("ended_at", "<", endedBefore).execute();
}

export async function isConsentRequired(reader: Reader, accountId: string): Promise<boolean> {
  const { rows } = await sql<{ required: boolean }>`
    select remote_consent as required from account where id = ${accountId}`.execute(reader);
  return rows[0]?.required ?? false;
}

/** Returns false if the setting was already the same. */
export async function setConsentRequired(tx: Tx, accountId: string, required: boolean): Promise<boolean> {
  const { rows } = await sql`update account set remote_consent = ${required}
    where id = ${accountId} and remote_consent <> ${required} returning id`.execute(tx);
  return rows.length === 1;
}
