// Queries for VPN requests, reports of VPN servers, and which process watches which server.
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import type { StoredVpn } from "./vpn.tables.ts";

type Changed = { id: string; owner_id: string };

const asked = sql`s.vpn ->> 'connect' = 'true'`;
const withdrawn = (alias: string) => sql`${sql.ref(`${alias}.vpn`)} || '{"connect":false,"until":null}'`;

/** Null withdraws the request. */
export async function saveVpnRequest(tx: Tx, sensorId: string, until: string | null): Promise<void> {
  await sql`update sensor s set vpn = ${until === null ? withdrawn("s") : sql`s.vpn || jsonb_build_object('connect', true, 'until', ${until}::text)`}
    where s.id = ${sensorId} and s.vpn is not null`.execute(tx);
}

export async function withdrawExpiredRequests(tx: Tx, now: Date, limit: number) {
  const { rows } = await sql<Changed & { owner_path: string }>`
    with due as materialized (
      select s.id from sensor s where ${asked} and s.vpn ->> 'until' <= ${now.toISOString()}
      order by s.id limit ${limit} for no key update skip locked)
    update sensor s set vpn = ${withdrawn("s")} from due where s.id = due.id and ${asked}
    returning s.id, s.owner_id, s.owner_path`.execute(tx);
  return rows;
}

/** Locks and returns the account's sensors with a VPN request, in the order of their ids. */
export async function findRequestedSensors(tx: Tx, ownerId: string) {
  const { rows } = await sql<Changed & { owner_path: string; vpn: StoredVpn }>`
    select s.id, s.owner_id, s.owner_path, s.vpn from sensor s where s.owner_id = ${ownerId} and not s.is_deleted and ${asked}
    order by s.id for no key update`.execute(tx);
  return rows;
}

/** Returns VPN requests with sensor numbers. Locks the sensors, so that a concurrent change waits and is read by a later call. */
export async function findRequests(tx: Tx, sensorIds: readonly string[]): Promise<{ num: number; vpn: StoredVpn }[]> {
  const { rows } = await sql<{ num: number; vpn: StoredVpn }>`
    select s.num, s.vpn from sensor s where s.id = any(${[...sensorIds]}::text[]) and ${asked}
    order by s.id for no key update`.execute(tx);
  return rows;
}

export async function findActiveRequests(
  reader: Reader,
  now: Date,
  sensorIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select s.id from sensor s where s.id = any(${[...sensorIds]}::text[]) and not s.is_deleted and ${asked}
      and coalesce(s.vpn ->> 'until' > ${now.toISOString()}, true)`.execute(reader);
  return new Set(rows.map(({ id }) => id));
}

/** A VPN server's report about a sensor. `since`: when the sensor connected, or null if it left. */
export type VpnReport = {
  sensorId: string;
  since: Date | null;
  publicAddress: string | null;
  vpnAddress: string | null;
};

const statusOf = (alias: string) =>
  sql`(${sql.ref(`${alias}.vpn`)} -> 'vpnStatus' ->> 'connected', ${sql.ref(`${alias}.vpn`)} -> 'vpnStatus' ->> 'serverID',
    ${sql.ref(`${alias}.vpn`)} -> 'vpnStatus' ->> 'publicAddress', ${sql.ref(`${alias}.vpn`)} -> 'vpnStatus' ->> 'vpnAddress')`;

/** Returns the facts that differ from the stored state. */
export async function findChangedReports(
  reader: Reader,
  serverId: string,
  facts: readonly VpnReport[],
): Promise<VpnReport[]> {
  if (facts.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select s.id from ${asRows(facts)} join sensor s on s.id = u.id
    where ${statusOf("s")} is distinct from ('true', ${serverId}::text, u.public_address, u.vpn_address)`.execute(
    reader,
  );
  const ids = new Set(rows.map(({ id }) => id));
  return facts.filter(({ sensorId }) => ids.has(sensorId));
}

const asRows = (facts: readonly VpnReport[]) => sql`unnest(
  ${facts.map((one) => one.sensorId)}::text[], ${facts.map((one) => one.since?.toISOString() ?? null)}::timestamptz[],
  ${facts.map((one) => one.publicAddress)}::text[], ${facts.map((one) => one.vpnAddress)}::text[]
) as u (id, since, public_address, vpn_address)`;

const textOf = (at: ReturnType<typeof sql>) => sql`to_char(${at} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Stores which of the locked sensors are connected, except those whose request was withdrawn; returns visible changes. */
export async function saveConnected(tx: Tx, serverId: string, facts: readonly VpnReport[]): Promise<Changed[]> {
  if (facts.length === 0) return [];
  // After a hand-over, an older connection is shown to the new owner as starting with the hand-over.
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

/** Stores that these locked sensors left this server. Sensors that are now connected to another server do not change. */
export async function saveDisconnected(
  tx: Tx,
  serverId: string,
  at: Date,
  sensorIds: readonly string[],
): Promise<Changed[]> {
  if (sensorIds.length === 0) return [];
  const { rows } = await sql<Changed>`update sensor s set vpn = ${left(at)}
    where s.id = any(${[...sensorIds]}::text[]) and ${connectedTo(serverId)} returning s.id, s.owner_id`.execute(tx);
  return rows;
}

export async function findOtherConnectedSensors(
  reader: Reader,
  serverId: string,
  sensorIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select s.id from sensor s
    where ${connectedTo(serverId)} and not s.id = any(${[...sensorIds]}::text[])`.execute(reader);
  return rows.map(({ id }) => id);
}

/** Acquires or renews the hold on a server; false if another process has it. */
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
