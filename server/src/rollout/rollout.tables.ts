// The table of update tasks as Kysely sees it (migrations 0011 and 0014).
import type { FirmwareManifest, JobReport } from "@psp/contract/sensor/sensor.device.ts";
import type { ColumnType } from "kysely";
import type { TaskState } from "./rollout.model.ts";

type At = ColumnType<Date, Date, Date>;

export type RolloutTables = {
  update_task: {
    id: string;
    sensor_num: number;
    firmware_id: string;
    version: string;
    state: TaskState;
    created_at: At;
    created_by: string;
    changed_at: At;
    deadline: At;
    manifest: ColumnType<FirmwareManifest | null, string | null | undefined, string | null>;
    withdrawn_rev: number | null;
    settles_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
    asked_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
    report_n: ColumnType<string | null, number | null | undefined, number | null>;
    report_state: JobReport["state"] | null;
    report_ok: boolean | null;
    info: string | null;
  };
};
