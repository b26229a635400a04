// Kysely types of the tables of settings sections (migration 0030).
import type { ColumnType } from "kysely";
import type { SectionResponse } from "@psp/contract/section/wire.ts";
import type { Timestamp, JsonColumn } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    sensor_section: { sensor_num: number; section: string; answer: JsonColumn<SectionResponse>; read_at: Timestamp };
    section_confirmation: {
      sensor_num: number;
      section: string;
      rev: ColumnType<string, number, number>;
      set_at: Timestamp;
      until: Timestamp;
    };
  }
}
