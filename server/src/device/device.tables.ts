// Kysely types of the tables of the device gateway (migration 0010).
import type { Generated } from "kysely";
import type { Timestamp, JsonColumn, NullableTimestamp, NullableJson, Nullable } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    device: {
      sensor_num: number;
      secret_hash: Buffer;
      previous_hash: Nullable<Buffer>;
      previous_until: NullableTimestamp;
      public_key: Nullable<string>;
      key_is_proved: Generated<boolean>;
      init_token_id: Nullable<string>;
      enrolled_at: Timestamp;
      sid: Nullable<string>;
      epoch: Nullable<string>;
      caps: Generated<string[]>;
      desired_rev: Generated<number>;
      desired: NullableJson<Record<string, unknown>>;
      reported: NullableJson<Record<string, unknown>>;
      clock_off_ms: Nullable<number>;
      clock_synced: Nullable<boolean>;
      takeovers: NullableJson<Record<string, unknown>>;
      is_provisioned: Generated<boolean>;
      is_confirmed: Generated<boolean>;
      proved_hash: Nullable<Buffer>;
      restored_to: NullableTimestamp;
      dead_sids: Generated<string[]>;
      former_sids: Generated<string[]>;
    };
    device_check: { sensor_num: number; check_at: Timestamp };
    device_renewal: {
      sensor_num: number;
      id: string | null;
      secret_hash: Buffer | null;
      secret_sealed: Buffer | null;
    };
    dead_letter: {
      id: Generated<number>;
      sensor_num: number;
      at: Timestamp;
      ep: string;
      q: number | null;
      reason: string;
      record: JsonColumn<unknown>;
    };
    device_epoch: {
      sensor_num: number;
      epoch: string;
      stored: Generated<string>;
      first_q: Generated<number>;
      touched_at: Timestamp;
      generation: Generated<number>;
      restarted_at: NullableTimestamp;
      overwrites: NullableJson<unknown>;
      sid: string | null;
      former_sids: Generated<string[]>;
      awaited_above: number | null;
      awaited_at: NullableTimestamp;
    };
  }
}
