// Kysely types of the tables behind the customer list; migrations 0051 and 0055 document the columns.
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
      num: Generated<number>;
      owner_path: string;
      sensors: number;
      offline: number;
      errors: number;
      warnings: number;
      outdated: number;
    };
    offline_limit: { last_contact_at: ColumnType<Date | number, Date | string, Date | string> };
    owner_version: { version_num: number; owner_num: number; sensors: number };
    reported_version: {
      num: Generated<number>;
      type: string;
      version: string;
      precedence: string | null;
      is_outdated: Generated<boolean>;
    };
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
