// Queries the sensors of a location for its apps.
import type { Reader } from "../../db/database.ts";

export async function findSensorsAtLocation(
  reader: Reader,
  locationId: string,
): Promise<{ id: string; type: string }[]> {
  return reader
    .selectFrom("sensor")
    .where("location_id", "=", locationId)
    .where("is_deleted", "=", false)
    .select(["id", "type"])
    .orderBy("id")
    .execute();
}
