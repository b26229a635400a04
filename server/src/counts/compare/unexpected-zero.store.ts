// Queries for locations with zero counts today: whether their sensors are connected, and whether other locations count people.
import { sql } from "kysely";
import type { Reader } from "../../db/database.ts";
import { whereViewable } from "../../db/visible.ts";
import type { Caller } from "../../kit/caller.ts";
import { isInContact } from "../../sensor/sensor.rights.ts";

/** Returns the locations that have visible sensors, all of which are in contact and responding. */
export async function filterFullyConnectedLocations(db: Reader, caller: Caller, ids: readonly string[], since: Date) {
  const { rows } = await sql<{ id: string }>`
    select location_id as id from sensor
    where location_id = any(${[...ids]}::uuid[]) and not is_deleted and ${whereViewable(caller, "sensor", "sensor")}
    group by location_id
    having bool_and(${isInContact(since)} and not (sensor.is_connected and sensor.not_responding))`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Maximum number of other sensors to check. Low, because the check runs whenever a list is opened. */
const maxLooked = 2000;

/** Whether any other visible location counted people on one of these local days. */
export async function hasCountsElsewhere(
  db: Reader,
  caller: Caller,
  except: readonly string[],
  days: readonly number[],
): Promise<boolean> {
  const sees = whereViewable(caller, "measurement", "l");
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from (
        select s.num, l.id from location l join sensor s on s.location_id = l.id and not s.is_deleted
        where ${sees} and not l.is_deleted and l.id <> all(${[...except]}::uuid[]) limit ${maxLooked}
      ) other
      join count_day d on d.sensor_num = other.num and d.day = any(${[...days]}::int[]) and d.location_id = other.id
      where d.n_in > 0
    ) as found`.execute(db);
  return rows[0]?.found ?? false;
}
