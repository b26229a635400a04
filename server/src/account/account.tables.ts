// Kysely types of the account table: a tree by parent, list of ancestors and path.
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import type { ColumnType, Generated } from "kysely";
import type { NullableJson, NullableTimestamp, VersionedColumns } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    account: VersionedColumns & {
      id: string;
      name: string;
      parent_id: string | null;
      ancestor_ids: string[];
      path: string;
      role_id: string | null;
      phone: string | null;
      street: string | null;
      street_number: string | null;
      zip: string | null;
      city: string | null;
      country: string | null;
      supplier: string | null;
      opening_hours: NullableJson<OpeningHours>;
      hours_key: ColumnType<string | null, never, never>;
      readonly_address: Generated<boolean>;
      /** Belongs to a person of the organization of the account above (docs/rules/accounts.md#colleagues). */
      is_colleague: Generated<boolean>;
      /**
       * Belongs to the organization of an account above; true for colleagues. The form decides for the others
       * (docs/rules/accounts.md#invitations).
       */
      shares_organization: Generated<boolean>;
      last_seen_at: NullableTimestamp;
      deleted_at: NullableTimestamp;
      /** When the personal data of the deleted account was removed. */
      purged_at: NullableTimestamp;
    };
  }
}
