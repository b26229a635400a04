// Tables of the device gateway as Kysely sees them (migrations 0003 and 0024).
import type { ColumnType, Generated } from "kysely";

type At = ColumnType<Date, Date, Date>;
type MaybeAt = ColumnType<Date | null, Date | null | undefined, Date | null>;
type MaybeJson<T> = ColumnType<T | null, string | null | undefined, string | null>;

export type DeviceTables = {
  device: {
    sensor_num: number;
    secret_hash: Buffer;
    previous_hash: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>;
    previous_until: MaybeAt;
    public_key: ColumnType<string | null, string | null | undefined, string | null>;
    key_is_proved: Generated<boolean>;
    init_token_id: ColumnType<string | null, string | null | undefined, string | null>;
    enrolled_at: At;
    sid: ColumnType<string | null, string | null | undefined, string | null>;
    epoch: ColumnType<string | null, string | null | undefined, string | null>;
    caps: Generated<string[]>;
    desired_rev: Generated<number>;
    desired: MaybeJson<Record<string, unknown>>;
    reported: MaybeJson<Record<string, unknown>>;
  };
  device_renewal: {
    sensor_num: number;
    id: string | null;
    secret_hash: Buffer | null;
    secret_sealed: Buffer | null;
  };
  device_epoch: {
    sensor_num: number;
    epoch: string;
    stored: Generated<string>;
    first_q: Generated<number>;
    touched_at: At;
  };
};
