// Kysely types of the tables of sessions on device pages (migration 0028).
import type { Generated } from "kysely";
import type { Timestamp, NullableTimestamp } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    remote_session: {
      id: string;
      sensor_num: number;
      owner_id: string;
      account_id: string;
      session_id: string;
      mode: string;
      reason: string;
      minutes: number;
      asked_at: Timestamp;
      consent: string | null;
      token_hash: Buffer | null;
      token_until: NullableTimestamp;
      cookie_hash: Buffer | null;
      started_at: NullableTimestamp;
      until: NullableTimestamp;
      ended_at: NullableTimestamp;
      ended_why: string | null;
    };
    remote_write: { session_id: string; method: string; path: string; times: Generated<number> };
  }
}
