// Kysely types of tables that belong to no noun; nouns declare theirs in *.tables.ts. Migrations document the columns.
import type { Timestamp, JsonColumn, NullableJson } from "./columns.ts";

export interface Tables {
  audit: {
    id: string;
    at: Timestamp;
    account_id: string | null;
    request_id: string;
    action: string;
    object_type: string;
    object_id: string;
    owner_id: string | null;
    owner_path: string | null;
    before: NullableJson<unknown>;
    after: NullableJson<unknown>;
  };
  /** Maintained by triggers. */
  owned_count: { kind: string; owner_path: string; n: string };
  idempotency: {
    account_id: string;
    key: string;
    request_hash: Buffer;
    reply: NullableJson<unknown>;
    created_at: Timestamp;
  };
  setting: { name: string; value: JsonColumn<unknown> };
}
