// Queries for presence. Each statement handles many sensors, because these are the most frequent writes.
import { sql } from "kysely";
import { isBelow } from "../../db/account-path.ts";
import { toPgColumn, toPgArray } from "../../db/arrays.ts";
import type { Reader, Tx } from "../../db/database.ts";
import { lockSensorRows } from "../../db/locks.ts";
import { toJsonb } from "../../db/storable.ts";
import { maxOffsetMs } from "../clock/clock.rules.ts";
import type { StoredClock } from "../clock/clocks.ts";
import { requestDeviceChecks } from "../device-check.store.ts";
import type { SharedIdentity } from "../identity/takeover.rules.ts";

export async function isStoredAsConnected(db: Reader, sensorId: string): Promise<boolean> {
  const row = await db.selectFrom("sensor").select("is_connected").where("id", "=", sensorId).executeTakeFirst();
  return row?.is_connected ?? false;
}

/** Omitted fields stay unchanged. Times are milliseconds since 1970. */
export type PresenceChange = {
  sensorId: string;
  /** Number of the device's connection. The change is ignored if the device has a newer one. */
  connection?: number;
  /** The change is a death of this session and is ignored if the device has a newer one. Only with an external broker. */
  deathOf?: string;
  /** The device or its will announced the death of this session, so that a birth of it that arrives later is outdated. */
  deadSid?: string;
  /** The session that this birth replaces. Only with an external broker. */
  formerSid?: string;
  conAt?: number;
  disconAt?: number;
  contactAt?: number;
  connected?: boolean;
  notResponding?: boolean;
  version?: string;
  birth?: { sid: string; epoch: string; caps: string[] };
  clock?: StoredClock;
  sharedIdentity?: SharedIdentity;
  info?: Record<string, unknown>;
  psconnect?: { connectionStatus: string; statusChangedAt: string | null };
  reported?: Record<string, unknown>;
};

export function mergeChanges(changes: readonly PresenceChange[]): PresenceChange[] {
  const folded = new Map<string, PresenceChange>();
  for (const change of changes) folded.set(change.sensorId, { ...folded.get(change.sensorId), ...change });
  return [...folded.values()];
}

const at = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
const json = (value: unknown) => (value === undefined ? null : toJsonb(value));

/** Writes merged changes. Returns the sensors that are not deleted and have no newer connection. */
export async function writePresence(
  tx: Tx,
  changes: readonly PresenceChange[],
): Promise<{ id: string; owner_id: string }[]> {
  const column = <T>(pick: (change: PresenceChange) => T) => changes.map(pick);
  // An update locks in the order of its plan, so two writers could deadlock. This must be a separate statement, because a statement
  // that waits for a row still reads other tables as they were before the wait. Only a later statement sees a tunnel that was opened
  // meanwhile.
  await lockSensorRows(
    tx,
    changes.map(({ sensorId }) => sensorId),
  );
  const { rows } = await sql<{ id: string; num: number; owner_id: string }>`
    update sensor s set
      -- Ignores times from before a change of owner, because the new owner must not see them.
      con_at = case when u.con_at >= s.visible_from then u.con_at else s.con_at end,
      discon_at = case when u.discon_at >= s.visible_from then u.discon_at else s.discon_at end,
      last_contact_at = case when u.contact_at >= s.visible_from then greatest(s.last_contact_at, u.contact_at)
        else s.last_contact_at end,
      is_connected = coalesce(u.connected, s.is_connected),
      not_responding = coalesce(u.not_responding, s.not_responding),
      running_version = coalesce(plain_version(u.version), s.running_version),
      installation = followed_installation(s.installation, s.update_task, u.version),
      firmware_running_id = case when u.version is null then s.firmware_running_id else (
        select f.id from firmware f
        where f.type = s.type and plain_version(f.name) = plain_version(u.version) and not f.is_deleted and (
          f.id = s.firmware_id or f.owner_id = s.owner_id
          or (f.children_can_view and ${isBelow("s.owner_path", sql.ref("f.owner_path"))}))
        order by f.id = s.firmware_id desc nulls last, length(f.owner_path) desc limit 1) end,
      info = case when u.info is null and u.version is null then s.info
        else coalesce(u.info, s.info, '{}') || jsonb_build_object('software',
          coalesce(coalesce(u.info, s.info) -> 'software', '{}') || jsonb_build_object('firmware',
            coalesce(coalesce(u.info, s.info) -> 'software' -> 'firmware', '{}')
            || jsonb_build_object('version', coalesce(u.version,
              coalesce(u.info, s.info) -> 'software' -> 'firmware' ->> 'version', s.running_version)))) end,
      vpn = case
        when u.has_vpn then coalesce(s.vpn, '{"connect":false,"vpnStatus":null}') || '{"enabledOnSensor":true}'
        when not u.has_vpn and s.vpn is not null then s.vpn || '{"enabledOnSensor":false}'
        else s.vpn end,
      -- The device's own report is used until the device has had a tunnel.
      psconnect = case when u.psconnect is null or exists (select from tunnel t where t.sensor_num = s.num)
        then s.psconnect else u.psconnect end
    from unnest(
      ${column((c) => c.sensorId)}::text[], ${column((c) => at(c.conAt))}::timestamptz[],
      ${column((c) => at(c.disconAt))}::timestamptz[], ${column((c) => at(c.contactAt))}::timestamptz[],
      ${column((c) => c.connected ?? null)}::boolean[], ${column((c) => c.notResponding ?? null)}::boolean[],
      ${column((c) => c.version ?? null)}::text[], ${column((c) => json(c.info))}::jsonb[],
      ${column((c) => (c.birth ? c.birth.caps.includes("vpn") : null))}::boolean[], ${column((c) => json(c.psconnect))}::jsonb[],
      ${column((c) => c.connection ?? null)}::int[]
    ) as u (id, con_at, discon_at, contact_at, connected, not_responding, version, info, has_vpn, psconnect, connection)
    where s.id = u.id and not s.is_deleted
      and not exists (select from device_connection c where c.sensor_num = s.num and c.number > u.connection)
    returning s.id, s.num, s.owner_id`.execute(tx);
  const nums = new Map(rows.map((row) => [row.id, row.num]));
  await writeSessions(tx, changes, nums);
  await writeFaults(tx, changes, nums);
  return rows;
}

async function writeSessions(tx: Tx, changes: readonly PresenceChange[], nums: Map<string, number>): Promise<void> {
  const known = changes.flatMap((change) => {
    const num = nums.get(change.sensorId);
    return num !== undefined && (change.birth || change.reported || change.deadSid) ? [{ num, ...change }] : [];
  });
  if (known.length === 0) return;
  await sql`
    update device d set
      sid = coalesce(u.sid, d.sid),
      epoch = coalesce(u.epoch, d.epoch),
      caps = case when u.caps is null then d.caps else array(select jsonb_array_elements_text(u.caps)) end,
      reported = coalesce(u.reported, d.reported),
      dead_sids = (case when u.dead_sid is null then '{}' else array[u.dead_sid] end || array_remove(d.dead_sids, coalesce(u.dead_sid, u.sid)))[1:4],
      former_sids = (case when u.former_sid is null then '{}' else array[u.former_sid] end
        || array_remove(array_remove(d.former_sids, u.former_sid), u.sid))[1:4]
    from unnest(
      ${known.map((c) => c.num)}::int[], ${known.map((c) => c.birth?.sid ?? null)}::text[],
      ${known.map((c) => c.birth?.epoch ?? null)}::text[], ${known.map((c) => json(c.birth?.caps))}::jsonb[],
      ${known.map((c) => json(c.reported))}::jsonb[], ${known.map((c) => c.deadSid ?? null)}::text[],
      ${known.map((c) => c.formerSid ?? null)}::text[]
    ) as u (num, sid, epoch, caps, reported, dead_sid, former_sid)
    where d.sensor_num = u.num`.execute(tx);
}

/** Stores clocks and shared identities, and schedules checks of sensors that have or had such a fault. */
async function writeFaults(tx: Tx, changes: readonly PresenceChange[], nums: Map<string, number>): Promise<void> {
  const known = changes.flatMap((change) => {
    const num = nums.get(change.sensorId);
    return num !== undefined && (change.clock || change.sharedIdentity) ? [{ num, ...change }] : [];
  });
  if (known.length === 0) return;
  const isWrong = (offMs: string) => sql`coalesce(abs(${sql.ref(offMs)}) > ${maxOffsetMs}, false)`;
  const { rows } = await sql<{ num: number }>`
    with written as (
      update device d set
        clock_off_ms = case when u.has_clock then u.off_ms else d.clock_off_ms end,
        clock_synced = case when u.has_clock then u.synced else d.clock_synced end,
        takeovers = coalesce(u.takeovers, d.takeovers)
      from unnest(${toPgColumn(known, (c) => c.num)}::int[], ${toPgArray(known.map((c) => c.clock !== undefined))}::boolean[],
        ${toPgColumn(known, (c) => c.clock?.offMs ?? null)}::bigint[], ${toPgColumn(known, (c) => c.clock?.isSynced ?? null)}::boolean[],
        ${known.map((c) => json(c.sharedIdentity))}::jsonb[]) u (num, has_clock, off_ms, synced, takeovers)
      join device o on o.sensor_num = u.num
      where d.sensor_num = u.num
      returning d.sensor_num as num, d.clock_off_ms as now, o.clock_off_ms as was, u.takeovers is not null as is_shared
    )
    select num from written where is_shared or ${isWrong("now")} or ${isWrong("was")}`.execute(tx);
  await requestDeviceChecks(
    tx,
    rows.map(({ num }) => num),
    new Date(0),
  );
}

export async function findSensorsDeletedSince(reader: Reader, since: Date): Promise<string[]> {
  const rows = await reader
    .selectFrom("sensor")
    .where("is_deleted", "=", true)
    .where("updated_at", ">=", since)
    .select("id")
    .execute();
  return rows.map((row) => row.id);
}

export async function findUndeletedSensors(reader: Reader, sensorIds: readonly string[]): Promise<Set<string>> {
  const rows = await reader
    .selectFrom("sensor")
    .where("id", "=", sql<string>`any(${[...sensorIds]}::text[])`)
    .where("is_deleted", "=", false)
    .select("id")
    .execute();
  return new Set(rows.map((row) => row.id));
}

export async function findConnectedSensors(reader: Reader) {
  return reader
    .selectFrom("sensor")
    .leftJoin("device", "device.sensor_num", "sensor.num")
    .where("sensor.is_connected", "=", true)
    .where("sensor.is_deleted", "=", false)
    .select(["sensor.id", "device.sid", "sensor.not_responding as notResponding"])
    .execute();
}

/** The last stored contact of each sensor with any gateway, in ms. */
export async function findLastContacts(reader: Reader, sensorIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await reader
    .selectFrom("sensor")
    .where("id", "=", sql<string>`any(${[...sensorIds]}::text[])`)
    .select(["id", "last_contact_at"])
    .execute();
  return new Map(rows.map((row) => [row.id, row.last_contact_at?.getTime() ?? 0]));
}
