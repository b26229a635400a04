// Kysely types of the tables of the vehicle feed (migration 0031).
import type { LiveReport, LivePosition } from "@psp/contract/device/live-level.ts";
import type { Timestamp, JsonColumn, NullableJson } from "../db/columns.ts";

export type Zones = Extract<LiveReport, { t: "occ" }>["zones"];

declare module "../db/tables.ts" {
  interface Tables {
    vehicle_level: { sensor_num: number; zones: JsonColumn<Zones>; pos: NullableJson<LivePosition>; at: Timestamp };
    feed_token: { account_id: string; token_hash: Buffer; created_at: Timestamp };
  }
}
