// Logins that have dismissed the set-up card, as Kysely sees them.
import type { At } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    set_up_dismissal: { credential_id: string; dismissed_at: At };
  }
}
