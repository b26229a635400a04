// SQL of coaches: their columns, and whether their sensor is switched off. Used by the feed and the list of vehicles.
import type { LivePosition } from "@psp/contract/device/live-level.ts";
import { sql } from "kysely";
import type { Zones } from "./feed.tables.ts";

/** `group` is the settings section as last read from the sensor. */
export type CoachRow = {
  sensor_id: string;
  owner_id: string;
  group: unknown;
  zones: Zones | null;
  pos: LivePosition | null;
  at: Date | null;
  is_off: boolean;
};

/** Whether the sensor `s` has been disconnected since `offSince` or longer. */
export const isSwitchedOff = (offSince: Date) =>
  sql<boolean>`(not s.is_connected and coalesce(s.discon_at <= ${offSince}, false))`;

/** Columns of a coach, for queries that join sensor `s`, section `c` and level `l`. */
export const coachColumns = (offSince: Date) =>
  sql`s.id as sensor_id, s.owner_id, c.answer -> 'values' as "group", l.zones, l.pos, l.at, ${isSwitchedOff(offSince)} as is_off`;
