// Kysely types of tables outside the nouns, which declare theirs in *.tables.ts. Migrations document the columns.
import type { At, Json, MaybeJson } from "./columns.ts";

export interface Tables {
  audit: {
    id: string;
    at: At;
    account_id: string | null;
    request_id: string;
    action: string;
    object_type: string;
    object_id: string;
    owner_id: string | null;
    owner_path: string | null;
    before: MaybeJson<unknown>;
    after: MaybeJson<unknown>;
  };
  /** Maintained by triggers. */
  owned_count: { kind: string; owner_path: string; n: string };
  idempotency: {
    account_id: string;
    key: string;
    request_hash: Buffer;
    reply: MaybeJson<unknown>;
    created_at: At;
  };
  setting: { name: string; value: Json<unknown> };
}
