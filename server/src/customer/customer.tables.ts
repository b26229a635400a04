// Kysely types of the tables behind the customer list; migration 0051 documents the columns.
import type { ColumnType, Generated } from "kysely";
import type { Timestamp } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    sensor_mark: { id: Generated<string>; sensor_num: number };
    counted_sensor: {
      sensor_num: number;
      owner_path: string;
      type: string;
      version: string;
      is_offline: boolean;
      has_error: boolean;
      has_warning: boolean;
      has_former_issue: boolean;
    };
    owner_total: {
      owner_path: string;
      type: string;
      version: string;
      sensors: number;
      offline: number;
      errors: number;
      warnings: number;
    };
    offline_limit: { last_contact_at: ColumnType<Date | number, Date | string, Date | string> };
    reported_version: { type: string; version: string; precedence: string | null };
    location_mark: { id: Generated<string>; location_id: string };
    counted_location: {
      location_id: string;
      owner_path: string;
      known_ms: number;
      expected_ms: number;
      check_at: Timestamp;
    };
    owner_completeness: { owner_path: string; known_ms: number; expected_ms: number };
  }
}
