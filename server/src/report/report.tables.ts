// Kysely types of the tables of reports, their recipients and runs.
import type { ReportQuery, RunState } from "@psp/contract/report/report.ts";
import type { Schedule } from "@psp/contract/report/schedule.ts";
import type { Generated } from "kysely";
import type {
  JsonColumn,
  Nullable,
  NullableTimestamp,
  OwnedColumns,
  Timestamp,
  VersionedColumns,
} from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    report: VersionedColumns &
      OwnedColumns & {
        id: string;
        name: string;
        creator_id: string | null;
        is_weekly: Generated<boolean>;
        query: JsonColumn<ReportQuery>;
        schedule: JsonColumn<Schedule>;
        language: string;
        is_enabled: boolean;
        stopped: Nullable<string>;
        handled_to: Timestamp;
        check_at: NullableTimestamp;
        next_at: NullableTimestamp;
        last_run_at: NullableTimestamp;
        last_run_state: Nullable<RunState>;
      };
    report_recipient: {
      report_id: string;
      email: string;
      position: number;
      is_removed: Generated<boolean>;
      ended_at: NullableTimestamp;
      refused_at: NullableTimestamp;
    };
    report_address: { account_id: string; email: string; asked_at: NullableTimestamp; confirmed_at: NullableTimestamp };
    report_run: {
      id: string;
      report_id: string;
      due_at: Timestamp;
      is_manual: Generated<boolean>;
      state: Generated<RunState>;
      reason: Nullable<string>;
      check_at: Timestamp;
      share_key: string;
      attempts: Generated<number>;
      finished_at: NullableTimestamp;
      first_day: Nullable<number>;
      last_day: Nullable<number>;
      location_ids: Generated<string[]>;
      sensor_ids: Generated<string[]>;
      /** Locations whose sales it contains. */
      sold_location_ids: Generated<string[]>;
      missing: Nullable<number>;
    };
    report_delivery: {
      run_id: string;
      email: string;
      mail_id: string;
      state: Generated<"queued" | "sent" | "refused">;
      reason: Nullable<string>;
    };
    report_file: { run_id: string; format: string; attachment_id: string };
  }
}
