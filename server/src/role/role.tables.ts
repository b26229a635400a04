// Kysely types of the tables of roles and gifts.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { Json, Stamped, Owned } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    role: Stamped & Owned & { id: string; name: string; permissions: Json<Permissions> };
    role_gift: { role_id: string; giver_id: string; parts: string[] };
  }
}
