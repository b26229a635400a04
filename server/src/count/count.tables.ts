// Kysely types of the tables of counts and records; migrations 0011 and 0012 document the columns.
import type { ColumnType, Generated } from "kysely";
import type { Nullable, NullableTimestamp, JsonColumn } from "../db/columns.ts";

/** In and out per object class, as on the wire. */
export type ClassCounts = Partial<Record<string, [number, number]>>;

export type RecordOrigin = { ep: string; q: number };

declare module "../db/tables.ts" {
  interface Tables {
    counter: {
      sensor_num: number;
      line_ids: Generated<string[]>;
      line_names: Generated<string[]>;
      first_ms: number | null;
      packed_to_ms: number | null;
    };
    count_hot: {
      start_ms: number;
      sensor_num: number;
      duration_ms: number;
      known_ms: number;
      n_in: number;
      n_out: number;
      line_no: number;
      osd: number;
      quality: number;
      is_ahead: boolean;
      over_pack: boolean;
      classes: ColumnType<ClassCounts | null, string | null, string | null>;
      origin: ColumnType<RecordOrigin | null, string | null, string | null>;
    };
    count_pack: { sensor_num: number; month: number; day_points: number[]; body: Buffer };
    count_day: {
      sensor_num: number;
      day: number;
      location_id: string | null;
      n_in: number;
      n_out: number;
      known_ms: number;
      open_in: number | null;
      open_out: number | null;
      open_known_ms: number | null;
    };
    device_record: {
      kind: string;
      sensor_num: number;
      start_ms: number;
      sub: Generated<string>;
      end_ms: number;
      is_ahead: boolean;
      body: JsonColumn<Record<string, unknown>>;
    };
    occupancy_point: { location_id: string; start_ms: number; end_ms: number; id: string; count: number };
    monitoring_status: {
      id: string;
      sensor_num: number;
      location_id: string | null;
      start_ms: number;
      end_ms: number;
      issue_type: string;
      issue_status: string;
      issue_message: string;
      acknowledged_at: NullableTimestamp;
      opened_id: Nullable<string>;
    };
  }
}
