// Kysely types of the tables of the vehicle feed and of vehicles (migrations 0031, 0053).
import type { LiveReport, LivePosition } from "@psp/contract/device/live-level.ts";
import type { ColumnType } from "kysely";
import type { Timestamp, JsonColumn, NullableJson } from "../db/columns.ts";

export type Zones = Extract<LiveReport, { t: "occ" }>["zones"];

declare module "../db/tables.ts" {
  interface Tables {
    vehicle_level: {
      sensor_num: number;
      zones: JsonColumn<Zones>;
      pos: NullableJson<LivePosition>;
      at: Timestamp;
      persons: ColumnType<number | null, never, never>;
    };
    coach: {
      sensor_num: number;
      vehicle_id: string;
      sequence: number;
      sections: NullableJson<{ id: string; seats: number; standing: number }[]>;
      seats: number | null;
      standing: number | null;
    };
    coach_load: {
      vehicle_id: string;
      slot_at: Timestamp;
      sensor_num: number;
      sequence: number;
      persons: number;
      levels: number;
      places: number;
    };
    feed_token: { account_id: string; token_hash: Buffer; created_at: Timestamp };
  }
}
