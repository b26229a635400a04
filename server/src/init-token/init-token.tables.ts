// Kysely types of the init token table.
import type { VersionedColumns, OwnedColumns } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    init_token: VersionedColumns &
      OwnedColumns & { id: string; name: string; firmware_id: string | null; token_hash: Buffer; token_sealed: Buffer };
  }
}
