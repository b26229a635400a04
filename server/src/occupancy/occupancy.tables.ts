// Kysely types of the display tables; migration 0026 documents the columns.
import type { Generated } from "kysely";
import type { Timestamp, JsonColumn, NullableTimestamp } from "../db/columns.ts";

export type StoredFlow = { num: number; sinceMs: number; in: number; out: number };

declare module "../db/tables.ts" {
  interface Tables {
    occupancy_setting: {
      location_id: string;
      from_at: Timestamp;
      runs: boolean;
      settings: JsonColumn<Record<string, unknown>>;
      timezone: string | null;
    };
    occupancy_outage: { sensor_num: number; from_at: Timestamp; to_at: NullableTimestamp };
    occupancy_flow: { sensor_num: number; since_ms: number; received_ms: number; n_in: number; n_out: number };
    occupancy_correction: {
      id: string;
      location_id: string;
      at_ms: number;
      count: number;
      note: string | null;
      account_id: string;
      flows: JsonColumn<StoredFlow[]>;
    };
    occupancy_shown: { location_id: string; at_ms: number; state: string; count: number; max_objects: number };
    display_link: { location_id: string; key_hash: Buffer; is_revoked: Generated<boolean> };
    display_token: {
      id: string;
      token_hash: Buffer;
      location_id: string;
      account_id: string;
      credential_id: string;
      created_at: Timestamp;
      last_used_at: Timestamp;
    };
  }
}
