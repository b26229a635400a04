// Kysely types of the table of weekly report subscriptions.
import type { Timestamp } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    weekly_report: { credential_id: string; monday: number; check_at: Timestamp };
  }
}
