// Finds the owners of locations and sensors with new counts, for the live channel.
import type { Owner } from "@psp/contract/permission/scope.ts";
import { prepare, type Reader, runPrepared } from "../db/database.ts";
import { findOwners } from "../owned/owner.ts";

type Owned = { kind: "location" | "sensor"; id: string; owner_id: string };

const ownersById = prepare<Owned>(
  "counted_owners",
  `select 'location' as kind, id::text, owner_id from location where id = any($1::uuid[]) and not is_deleted
  union all select 'sensor', id, owner_id from sensor where id = any($2::text[]) and not is_deleted`,
);

export async function findCountedOwners(db: Reader, locationIds: string[], sensorIds: string[]) {
  const rows = await runPrepared(db, ownersById, [locationIds, sensorIds]);
  const owners = await findOwners(db, [...new Set(rows.map((row) => row.owner_id))]);
  const of = (kind: Owned["kind"]) =>
    new Map<string, Owner>(
      rows.flatMap((row) => {
        const owner = owners.get(row.owner_id);
        return row.kind === kind && owner ? [[row.id, owner] as const] : [];
      }),
    );
  return { locations: of("location"), sensors: of("sensor") };
}
