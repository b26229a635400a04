// Kysely types of the table of update tasks (migrations 0013 and 0024).
import type { FirmwareManifest, JobReport } from "@psp/contract/device/device-messages.ts";
import type { ColumnType } from "kysely";
import type { Timestamp, NullableTimestamp, NullableJson } from "../db/columns.ts";
import type { TaskState } from "./rollout.rules.ts";

declare module "../db/tables.ts" {
  interface Tables {
    update_task: {
      id: string;
      sensor_num: number;
      firmware_id: string;
      version: string;
      state: TaskState;
      created_at: Timestamp;
      created_by: string;
      changed_at: Timestamp;
      deadline: Timestamp;
      manifest: NullableJson<FirmwareManifest>;
      withdrawn_rev: number | null;
      settles_at: NullableTimestamp;
      asked_at: NullableTimestamp;
      resumed_at: NullableTimestamp;
      report_n: ColumnType<string | null, number | null | undefined, number | null>;
      report_state: JobReport["state"] | null;
      report_ok: boolean | null;
      info: string | null;
    };
  }
}
