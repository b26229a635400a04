// The table of accounts as Kysely sees it: a tree, by parent, by list of ancestors and by path.
import type { Generated } from "kysely";
import type { MaybeAt, Stamped } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    account: Stamped & {
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
      readonly_address: Generated<boolean>;
      last_seen_at: MaybeAt;
      deleted_at: MaybeAt;
      /** Since then nothing shows who it was. */
      purged_at: MaybeAt;
    };
  }
}
