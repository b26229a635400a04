// Kysely types of the tables of sensors, their locations and batches.
import type { InstallationState } from "@psp/contract/sensor/presence.ts";
import type { SensorBatchChanges } from "@psp/contract/sensor/sensor.batch.api.ts";
import type { ColumnType, Generated } from "kysely";
import type { UpdateTask } from "../rollout/rollout.rules.ts";
import type { StoredVpn } from "../vpn/vpn.tables.ts";
import type {
  JsonColumn,
  NullableJson,
  NullableTimestamp,
  OwnedColumns,
  Timestamp,
  VersionedColumns,
} from "../db/columns.ts";

/** State of both sensors of a replacement, as JSON of their rows. */
export type ReplacedState = {
  sensors: Record<string, unknown>[];
  tasks: Record<string, unknown>[];
  assignments: Record<string, unknown>[];
  /** Numbers of the last changes by people, by sensor. */
  marks?: Record<string, string>;
};

declare module "../db/tables.ts" {
  interface Tables {
    sensor: VersionedColumns &
      OwnedColumns & {
        id: string;
        num: Generated<number>;
        wire_id: Generated<string>;
        type: string;
        location_id: string | null;
        firmware_id: string | null;
        firmware_running_id: string | null;
        running_version: string | null;
        info: NullableJson<Record<string, unknown>>;
        groups: Generated<string[]>;
        claimable: Generated<boolean>;
        claiming_code: string | null;
        license_monitoring: Generated<boolean>;
        monitoring_config: NullableJson<unknown>;
        awaited_since: NullableTimestamp;
        visible_from: ColumnType<Date | number, Date | string | undefined, Date | string>;
        con_at: NullableTimestamp;
        discon_at: NullableTimestamp;
        last_contact_at: NullableTimestamp;
        is_connected: Generated<boolean>;
        not_responding: Generated<boolean>;
        psconnect: NullableJson<{ connectionStatus: string; statusChangedAt: string | null }>;
        vpn: NullableJson<StoredVpn>;
        rest_username: string | null;
        rest_password_sealed: Buffer | null;
        update_task: NullableJson<UpdateTask>;
        install_state: NullableJson<{ ok: boolean; state: string }>;
        installation: ColumnType<
          InstallationState | null,
          InstallationState | null | undefined,
          InstallationState | null
        >;
        silent_since: ColumnType<Date | number | null, never, never>;
        never_connected: ColumnType<boolean, never, never>;
        rollout_id: ColumnType<string | null, never, never>;
        replaced_by: string | null;
        replaces: string | null;
        owner_mark: Generated<string>;
        firmware_mark: ColumnType<string | null, string | undefined, string>;
      };
    sensor_location: {
      sensor_num: number;
      from_at: ColumnType<Date | number, Date | string, Date | string>;
      to_at: ColumnType<Date | number, Date | string | undefined, Date | string>;
      location_id: string;
      /** Earlier than `from_at` only for the first assignment of a sensor, which includes all earlier counts. */
      counts_from: ColumnType<Date | number, Date | string, Date | string>;
    };
    sensor_replacement: {
      id: string;
      account_id: string;
      at: Timestamp;
      old_id: string;
      new_id: string;
      location_id: string;
      has_occupancy: boolean;
      before: JsonColumn<ReplacedState>;
      after: JsonColumn<ReplacedState>;
    };
    sensor_batch: {
      id: string;
      account_id: string;
      request_id: string;
      key: string | null;
      kind: "update" | "delete";
      changes: NullableJson<SensorBatchChanges>;
      asked_mark: string;
      ids: string[];
      total: number;
      done: Generated<number>;
      success: Generated<number>;
      started_at: Timestamp;
      touched_at: Timestamp;
      finished_at: NullableTimestamp;
      canceled_at: NullableTimestamp;
    };
    sensor_batch_fail: { batch_id: string; sensor_id: string; code: number };
  }
}
