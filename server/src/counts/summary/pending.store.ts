// Finds sensors that are in contact, but have not sent all counts of a range yet.
import { hourMs } from "@psp/contract/kit/zone.ts";
import { sql } from "kysely";
import { toPgColumn } from "../../db/arrays.ts";
import type { Reader } from "../../db/database.ts";
import { whereViewable } from "../../db/visible.ts";
import type { Caller } from "../../kit/caller.ts";
import { computeContactCutoff, isInContact } from "../../sensor/sensor.rights.ts";
import type { LocationRange } from "../place-sums.store.ts";

/** `id` is null if the caller may not view the sensor. */
export type PendingSensor = { id: string | null; location: string };

/** Sensors without contact for longer are not waited for. */
const contactHours = 6;

/**
 * A sensor has sent all counts if its newest one reaches the end of the range, and no record is missing below it that the device still
 * has. Sensors that have never counted are not waited for.
 */
export async function findPendingSensors(
  db: Reader,
  caller: Caller,
  asked: readonly (LocationRange & { location: { name: string } })[],
  nowMs: number,
): Promise<PendingSensor[]> {
  if (asked.length === 0) return [];
  const firstMs = Math.min(...asked.map(({ range }) => range.to));
  const ids = `{${asked.map(({ place }) => place.id).join(",")}}`;
  const { rows } = await sql<{ id: string | null; index: number }>`
    select case when ${whereViewable(caller, "sensor", "s")} then s.id end as id, p.index::int as index
    from unnest(${ids}::uuid[], ${toPgColumn(asked, ({ range }) => range.to)}::bigint[]) with ordinality p (location_id, to_ms, index)
    join sensor s on s.location_id = p.location_id and not s.is_deleted
    join counter c on c.sensor_num = s.num and c.first_ms is not null
    left join device d on d.sensor_num = s.num
    left join device_epoch e on e.sensor_num = s.num and e.epoch = d.epoch
    where ${isInContact(computeContactCutoff(new Date(nowMs), contactHours), "s")} and (
      not exists (select from count_hot h where h.sensor_num = s.num
        and h.start_ms >= p.to_ms - ${hourMs} and h.start_ms + h.duration_ms >= p.to_ms
        and h.start_ms >= ${firstMs - hourMs} offset 0)
      or not coalesce(isempty(e.stored) or upper(e.stored) <= e.first_q
        or e.stored @> int8range(e.first_q, upper(e.stored)), true))
    order by p.index, s.id`.execute(db);
  return rows.map(({ id, index }) => ({ id, location: asked[index - 1]?.location.name ?? "" }));
}
