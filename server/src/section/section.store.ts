// Queries for settings sections.
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import type { SectionResponse } from "@psp/contract/section/wire.ts";
import { sql } from "kysely";
import type { Reader, Tx } from "../db/database.ts";
import type { Caller } from "../kit/caller.ts";
import { toJsonb } from "../db/storable.ts";
import { whereViewable } from "../db/visible.ts";

export type SectionedSensor = { num: number; id: string; type: SensorType; owner_id: string };

/** Null if the sensor is deleted or not visible. */
export async function findSensor(reader: Reader, caller: Caller, id: string): Promise<SectionedSensor | null> {
  const { rows } = await sql<SectionedSensor>`select num, id, type, owner_id from sensor
    where id = ${id} and not is_deleted and ${whereViewable(caller, "sensor", "sensor")}`.execute(reader);
  return rows[0] ?? null;
}

/** Ignores rights, for the server itself. */
export async function findSensorById(reader: Reader, id: string): Promise<SectionedSensor | null> {
  const { rows } = await sql<SectionedSensor>`select num, id, type, owner_id from sensor
    where id = ${id} and not is_deleted`.execute(reader);
  return rows[0] ?? null;
}

/** Finds sensors of this type whose section was not read since `since`; those never read come first. */
export async function findSensorsWithStaleSection(
  reader: Reader,
  ids: readonly string[],
  { type, section, since }: { type: SensorType; section: string; since: Date },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select s.id from sensor s left join sensor_section c on c.sensor_num = s.num and c.section = ${section}
    where s.id = any(${[...ids]}::text[]) and s.type = ${type} and not s.is_deleted
      and (c.read_at is null or c.read_at < ${since})
    order by c.read_at nulls first, s.num`.execute(reader);
  return rows.map(({ id }) => id);
}

export type StoredSection = { answer: SectionResponse; read_at: Date };

export async function findSections(reader: Reader, sensorNum: number): Promise<Map<string, StoredSection>> {
  const rows = await reader.selectFrom("sensor_section").selectAll().where("sensor_num", "=", sensorNum).execute();
  return new Map(rows.map(({ section, answer, read_at }) => [section, { answer, read_at }]));
}

/**
 * Ignores responses older than the stored one, and those to a former owner. Returns whether the stored values changed, and in which
 * vehicle the sensor was.
 */
export async function storeSection(
  tx: Tx,
  { num, owner_id }: SectionedSensor,
  section: string,
  answer: SectionResponse,
  at: Date,
): Promise<{ isChanged: boolean; formerVehicleId: string | null }> {
  // A statement of its own, so that the next one sees what a concurrent reading has stored.
  await sql`select from sensor where num = ${num} for no key update`.execute(tx);
  const { rows } = await sql<{ isChanged: boolean; formerVehicleId: string | null }>`
    with former as (
      select c.answer, p.vehicle_id from sensor_section c left join coach p on p.sensor_num = c.sensor_num
      where c.sensor_num = ${num} and c.section = ${section}
    ), stored as (
      insert into sensor_section (sensor_num, section, answer, read_at)
      select num, ${section}, ${toJsonb(answer)}::jsonb, ${at} from sensor
        where num = ${num} and owner_id = ${owner_id} and not is_deleted
      on conflict (sensor_num, section) do update set answer = excluded.answer, read_at = excluded.read_at
        where sensor_section.read_at <= excluded.read_at
      returning answer
    )
    select s.answer -> 'values' is distinct from f.answer -> 'values' as "isChanged", f.vehicle_id as "formerVehicleId"
    from stored s left join former f on true`.execute(tx);
  return rows[0] ?? { isChanged: false, formerVehicleId: null };
}

export type Confirmation = { section: string; rev: number; set_at: Date; until: Date };

export async function storeConfirmation(
  reader: Reader,
  sensorNum: number,
  { section, rev, set_at, until }: Confirmation,
): Promise<void> {
  await reader
    .insertInto("section_confirmation")
    .values({ sensor_num: sensorNum, section, rev, set_at, until })
    .onConflict((conflict) => conflict.column("sensor_num").doUpdateSet({ section, rev, set_at, until }))
    .execute();
}

export type PendingConfirmation = Confirmation & { sensor_num: number; owner_id: string; owner_path: string };

export async function findConfirmation(reader: Reader, sensorId: string): Promise<PendingConfirmation | null> {
  const { rows } = await sql<Omit<PendingConfirmation, "rev"> & { rev: string }>`
    select c.*, s.owner_id, s.owner_path from section_confirmation c join sensor s on s.num = c.sensor_num
    where s.id = ${sensorId} and not s.is_deleted`.execute(reader);
  const [row] = rows;
  return row ? { ...row, rev: Number(row.rev) } : null;
}

/** Ends only the confirmation of this revision, because a newer change may be pending. */
export async function endConfirmation(reader: Reader, sensorNum: number, rev: number): Promise<void> {
  await reader
    .deleteFrom("section_confirmation")
    .where("sensor_num", "=", sensorNum)
    .where("rev", "=", String(rev))
    .execute();
}

export async function deleteOverdueConfirmations(reader: Reader, before: Date): Promise<void> {
  await reader.deleteFrom("section_confirmation").where("until", "<", before).execute();
}
