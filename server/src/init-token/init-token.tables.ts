// Kysely types of the table of init tokens.
import type { Stamped, Owned } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    init_token: Stamped &
      Owned & { id: string; name: string; firmware_id: string | null; token_hash: Buffer; token_sealed: Buffer };
  }
}
