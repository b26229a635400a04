// SQL of the dashboard's figures: one pass over the visible sensors.
import { viewSet } from "@psp/contract/permission/can.ts";
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { ownerIn } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";

type Group = { version: string | null; state: string; type: string; monitored: boolean; n: number };

/** Visible sensors counted by all that the figures distinguish; one without contact since `contactSince` is disconnected. */
export async function countGroups(db: Database, caller: Caller, contactSince: Date): Promise<readonly Group[]> {
  const visible = ownerIn(viewSet(caller, "sensor"), caller, { id: "owner_id", path: "owner_path" });
  const { rows } = await sql<Group>`
    select running_version as version, type, license_monitoring as monitored,
      case when is_connected and not_responding then 'notResponding'
        when is_connected or coalesce(last_contact_at > ${contactSince}, false) then 'connected' else 'disconnected' end as state,
      count(*) as n
    from sensor where not is_deleted and ${visible} group by 1, 2, 3, 4`.execute(db);
  return rows;
}
