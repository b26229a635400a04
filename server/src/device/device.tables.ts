// Tables of the device gateway as Kysely sees them (migration 0010).
import type { Generated } from "kysely";
import type { At, Json, MaybeAt, MaybeJson, Maybe } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    device: {
      sensor_num: number;
      secret_hash: Buffer;
      previous_hash: Maybe<Buffer>;
      previous_until: MaybeAt;
      public_key: Maybe<string>;
      key_is_proved: Generated<boolean>;
      init_token_id: Maybe<string>;
      enrolled_at: At;
      sid: Maybe<string>;
      epoch: Maybe<string>;
      caps: Generated<string[]>;
      desired_rev: Generated<number>;
      desired: MaybeJson<Record<string, unknown>>;
      reported: MaybeJson<Record<string, unknown>>;
      clock_off_ms: Maybe<number>;
      clock_synced: Maybe<boolean>;
      takeovers: MaybeJson<Record<string, unknown>>;
    };
    device_check: { sensor_num: number; check_at: At };
    device_renewal: {
      sensor_num: number;
      id: string | null;
      secret_hash: Buffer | null;
      secret_sealed: Buffer | null;
    };
    dead_letter: {
      id: Generated<number>;
      sensor_num: number;
      at: At;
      ep: string;
      q: number | null;
      reason: string;
      record: Json<unknown>;
    };
    device_epoch: {
      sensor_num: number;
      epoch: string;
      stored: Generated<string>;
      first_q: Generated<number>;
      touched_at: At;
      generation: Generated<number>;
      restarted_at: MaybeAt;
      overwrites: MaybeJson<unknown>;
    };
  }
}
