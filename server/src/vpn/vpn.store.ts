// SQL about the VPN of sensors, nothing else: what was asked for, what VPN servers say, and which process speaks with which of them.
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import type { StoredVpn } from "./vpn.tables.ts";

type Changed = { id: string; owner_id: string };

const asked = sql`s.vpn ->> 'connect' = 'true'`;
const withdrawn = (alias: string) => sql`${sql.ref(`${alias}.vpn`)} || '{"connect":false,"until":null}'`;

/** Notes until when a locked sensor was asked to be connected; null takes that back. */
export async function saveAsked(tx: Tx, sensorId: string, until: string | null): Promise<void> {
  await sql`update sensor s set vpn = ${until === null ? withdrawn("s") : sql`s.vpn || jsonb_build_object('connect', true, 'until', ${until}::text)`}
    where s.id = ${sensorId} and s.vpn is not null`.execute(tx);
}

/** Takes back what was asked until now or longer ago; at most `limit` sensors, with whose they are. */
export async function endExpired(tx: Tx, now: Date, limit: number) {
  const { rows } = await sql<Changed & { owner_path: string }>`
    with due as materialized (
      select s.id from sensor s where ${asked} and s.vpn ->> 'until' <= ${now.toISOString()}
      order by s.id limit ${limit} for no key update skip locked)
    update sensor s set vpn = ${withdrawn("s")} from due where s.id = due.id and ${asked}
    returning s.id, s.owner_id, s.owner_path`.execute(tx);
  return rows;
}

/** Sensors of an account that are asked to be connected, locked in the order of their ids. */
export async function findAskedOf(tx: Tx, ownerId: string) {
  const { rows } = await sql<Changed & { owner_path: string; vpn: StoredVpn }>`
    select s.id, s.owner_id, s.owner_path, s.vpn from sensor s where s.owner_id = ${ownerId} and not s.is_deleted and ${asked}
    order by s.id for no key update`.execute(tx);
  return rows;
}

/** What was asked of these sensors, by number; held, so that what changes meanwhile is looked up later. */
export async function findAsked(tx: Tx, sensorIds: readonly string[]): Promise<{ num: number; vpn: StoredVpn }[]> {
  const { rows } = await sql<{ num: number; vpn: StoredVpn }>`
    select s.num, s.vpn from sensor s where s.id = any(${[...sensorIds]}::text[]) and ${asked}
    order by s.id for no key update`.execute(tx);
  return rows;
}

/** Those of these sensors that are to be connected now. */
export async function findWanted(reader: Reader, now: Date, sensorIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select s.id from sensor s where s.id = any(${[...sensorIds]}::text[]) and not s.is_deleted and ${asked}
      and coalesce(s.vpn ->> 'until' > ${now.toISOString()}, true)`.execute(reader);
  return new Set(rows.map(({ id }) => id));
}

/** What a VPN server says of a sensor: when it came, or null when it left. */
export type VpnFact = {
  sensorId: string;
  since: Date | null;
  publicAddress: string | null;
  vpnAddress: string | null;
};

const statusOf = (alias: string) =>
  sql`(${sql.ref(`${alias}.vpn`)} -> 'vpnStatus' ->> 'connected', ${sql.ref(`${alias}.vpn`)} -> 'vpnStatus' ->> 'serverID',
    ${sql.ref(`${alias}.vpn`)} -> 'vpnStatus' ->> 'publicAddress', ${sql.ref(`${alias}.vpn`)} -> 'vpnStatus' ->> 'vpnAddress')`;

/** Of who is connected to this server those that are not noted so yet. */
export async function findNews(reader: Reader, serverId: string, facts: readonly VpnFact[]): Promise<VpnFact[]> {
  if (facts.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select s.id from ${asRows(facts)} join sensor s on s.id = u.id
    where ${statusOf("s")} is distinct from ('true', ${serverId}::text, u.public_address, u.vpn_address)`.execute(
    reader,
  );
  const ids = new Set(rows.map(({ id }) => id));
  return facts.filter(({ sensorId }) => ids.has(sensorId));
}

const asRows = (facts: readonly VpnFact[]) => sql`unnest(
  ${facts.map((one) => one.sensorId)}::text[], ${facts.map((one) => one.since?.toISOString() ?? null)}::timestamptz[],
  ${facts.map((one) => one.publicAddress)}::text[], ${facts.map((one) => one.vpnAddress)}::text[]
) as u (id, since, public_address, vpn_address)`;

/** Locks sensors in the order in which all locks are taken. */
export async function lockSensors(tx: Tx, sensorIds: readonly string[]): Promise<void> {
  await sql`select from sensor where id = any(${[...sensorIds]}::text[]) order by id for no key update`.execute(tx);
}

const textOf = (at: ReturnType<typeof sql>) => sql`to_char(${at} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Notes who of the locked sensors is connected to this server, unless that was taken back; returns those that look different. */
export async function noteConnected(tx: Tx, serverId: string, facts: readonly VpnFact[]): Promise<Changed[]> {
  if (facts.length === 0) return [];
  // A connection from before a change of owner began, for the new one, when it became theirs.
  const { rows } = await sql<Changed>`
    update sensor s set vpn = s.vpn || jsonb_build_object('vpnStatus', jsonb_build_object(
      'connected', true, 'connectedSince', ${textOf(sql`greatest(u.since, s.visible_from)`)}, 'disconnectedSince', null,
      'serverID', ${serverId}::text, 'publicAddress', u.public_address, 'vpnAddress', u.vpn_address))
    from ${asRows(facts)}
    where s.id = u.id and not s.is_deleted and ${asked}
      and ${statusOf("s")} is distinct from ('true', ${serverId}::text, u.public_address, u.vpn_address)
    returning s.id, s.owner_id`.execute(tx);
  return rows;
}

const left = (at: Date) => sql`s.vpn || jsonb_build_object('vpnStatus', s.vpn -> 'vpnStatus' || jsonb_build_object(
  'connected', false, 'disconnectedSince', ${at.toISOString()}::text, 'publicAddress', null, 'vpnAddress', null))`;
const connectedTo = (serverId: string) =>
  sql`s.vpn -> 'vpnStatus' ->> 'connected' = 'true' and s.vpn -> 'vpnStatus' ->> 'serverID' = ${serverId}`;

/** Notes that these sensors, which are locked, left this server. One that came to another server meanwhile stays there. */
export async function noteLeft(tx: Tx, serverId: string, at: Date, sensorIds: readonly string[]): Promise<Changed[]> {
  if (sensorIds.length === 0) return [];
  const { rows } = await sql<Changed>`update sensor s set vpn = ${left(at)}
    where s.id = any(${[...sensorIds]}::text[]) and ${connectedTo(serverId)} returning s.id, s.owner_id`.execute(tx);
  return rows;
}

/** Whom the database has at this server beside these. */
export async function findOthersAt(reader: Reader, serverId: string, sensorIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select s.id from sensor s
    where ${connectedTo(serverId)} and not s.id = any(${[...sensorIds]}::text[])`.execute(reader);
  return rows.map(({ id }) => id);
}

/** Whether this process may speak with the server for so many seconds from now on. */
export async function holdServer(reader: Reader, serverId: string, holder: string, holdS: number): Promise<boolean> {
  const { rows } = await sql`
    insert into vpn_server as v (id, holder_id, held_until)
    values (${serverId}, ${holder}::uuid, clock_timestamp() + make_interval(secs => ${holdS}))
    on conflict (id) do update set holder_id = excluded.holder_id, held_until = excluded.held_until
    where v.holder_id = excluded.holder_id or v.held_until < clock_timestamp() returning v.id`.execute(reader);
  return rows.length > 0;
}

export async function releaseServer(reader: Reader, serverId: string, holder: string): Promise<void> {
  await sql`delete from vpn_server where id = ${serverId} and holder_id = ${holder}::uuid`.execute(reader);
}
