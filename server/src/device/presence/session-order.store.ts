// Applies births and deaths that several gateways received from one external broker, in any order.
import { sql } from "kysely";
import type { Tx } from "../../db/database.ts";
import { lockSensorRows } from "../../db/locks.ts";
import { mergeChanges, type PresenceChange, writePresence } from "./presence.store.ts";

/**
 * Writes births and deaths of a sensor one after another. The death of a session that is not the latest one is kept until that session's
 * birth arrives. Returns what was written, and the sensors that are not deleted.
 */
export async function writeSessions(tx: Tx, changes: readonly PresenceChange[]) {
  const written: PresenceChange[] = [];
  const living = new Map<string, { id: string; owner_id: string }>();
  for (const round of roundsOf(changes)) {
    const ordered = await orderSessions(tx, mergeChanges(round));
    written.push(...ordered);
    for (const row of await writePresence(tx, ordered)) living.set(row.id, row);
  }
  return { written, living: [...living.values()] };
}

/** Splits the changes, so that each round has at most one birth or death of each sensor. */
function roundsOf(changes: readonly PresenceChange[]): PresenceChange[][] {
  const rounds: PresenceChange[][] = [];
  const last = new Map<string, number>();
  for (const change of changes) {
    const former = last.get(change.sensorId);
    const round = isSession(change) ? (former ?? -1) + 1 : Math.max(0, former ?? 0);
    if (isSession(change)) last.set(change.sensorId, round);
    (rounds[round] ??= []).push(change);
  }
  return rounds;
}

const isSession = ({ birth, deathOf }: PresenceChange) => birth !== undefined || deathOf !== undefined;

async function orderSessions(tx: Tx, changes: readonly PresenceChange[]): Promise<PresenceChange[]> {
  const ids = changes.filter(isSession).map(({ sensorId }) => sensorId);
  if (ids.length === 0) return [...changes];
  await lockSensorRows(tx, ids);
  const rows = await tx
    .selectFrom("sensor")
    .innerJoin("device", "device.sensor_num", "sensor.num")
    .where("sensor.id", "=", sql<string>`any(${ids}::text[])`)
    .select(["sensor.id", "sensor.is_connected", "device.sid", "device.dead_sids", "device.former_sids"])
    .execute();
  const stored = new Map(rows.map((row) => [row.id, row]));
  return changes.map((change) => orderSession(change, stored.get(change.sensorId)));
}

type StoredSession = { is_connected: boolean; sid: string | null; dead_sids: string[]; former_sids: string[] };

function orderSession(change: PresenceChange, stored: StoredSession | undefined): PresenceChange {
  const { birth, deathOf, conAt, ...others } = change;
  if (!stored || !isSession(change)) return change;
  if (birth === undefined) {
    if (deathOf === undefined || deathOf === stored.sid) return change;
    const { disconAt: _at, connected: _is, notResponding: _not, ...rest } = others;
    return rest;
  }
  const former = stored.sid === birth.sid ? null : stored.sid;
  const isFormer = stored.former_sids.includes(birth.sid);
  const isDead = isFormer || stored.dead_sids.includes(birth.sid);
  const off = { connected: false, notResponding: false, disconAt: change.contactAt ?? conAt ?? 0 };
  if (isDead && former !== null && stored.is_connected) {
    const { connected: _is, notResponding: _not, version: _old, ...rest } = others;
    // Of a session that was never stored before, it is unknown whether it is older. All gateways forget the sensor, and ask for its birth.
    return isFormer ? { ...rest, deathOf: birth.sid } : { ...rest, ...off };
  }
  const isRepeated = stored.is_connected && stored.sid === birth.sid;
  return {
    ...others,
    birth,
    ...(conAt === undefined || isRepeated ? {} : { conAt }),
    ...(isDead ? off : former === null ? {} : { formerSid: former }),
  };
}
