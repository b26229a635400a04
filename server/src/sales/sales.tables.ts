// Kysely types of the table of sales.
import type { ColumnType, Generated } from "kysely";

declare module "../db/tables.ts" {
  interface Tables {
    sale: {
      location_id: string;
      start_ms: number;
      owner_id: string;
      end_ms: number;
      is_day: boolean;
      transactions: number;
      /** Exact decimal. */
      revenue: ColumnType<string, string | number, string | number>;
      currency: string;
      staff_hours: ColumnType<string | null, string | number | null, string | number | null>;
      is_shadowed: Generated<boolean>;
      write_num: Generated<number>;
    };
  }
}
