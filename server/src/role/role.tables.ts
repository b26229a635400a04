// Kysely types of the tables of roles and gifts.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { JsonColumn, VersionedColumns, OwnedColumns } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    role: VersionedColumns & OwnedColumns & { id: string; name: string; permissions: JsonColumn<Permissions> };
    role_gift: { role_id: string; giver_id: string; parts: string[] };
  }
}
