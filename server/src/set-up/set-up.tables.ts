// Kysely types of the table of dismissed set-up cards.
import type { Timestamp } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    set_up_dismissal: { credential_id: string; dismissed_at: Timestamp };
  }
}
