// SQL about the sensors that the apps of a location count with, nothing else.
import type { Reader } from "../../db/database.ts";

/** Living sensors at the location, by id. */
export async function findSensorsHere(reader: Reader, locationId: string): Promise<{ id: string; type: string }[]> {
  return reader
    .selectFrom("sensor")
    .where("location_id", "=", locationId)
    .where("is_deleted", "=", false)
    .select(["id", "type"])
    .orderBy("id")
    .execute();
}
