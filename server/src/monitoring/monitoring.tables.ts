// Kysely types of the monitoring tables; migration 0025 documents the columns.
import type { IssueStatus, IssueType } from "@psp/contract/monitoring/issue-words.ts";
import type { Generated } from "kysely";
import type { Timestamp, Nullable, NullableTimestamp } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    fact_mark: { id: Generated<string>; sensor_num: number; from_ms: number | null };
    monitor: {
      sensor_num: number;
      check_at: Timestamp;
      judged_day: number | null;
      delivered_day: number | null;
      zone: string;
    };
    uptime_day: { sensor_num: number; day: number; up_s: number };
    sensor_issue: {
      sensor_num: number;
      issue_type: IssueType;
      issue_status: IssueStatus;
      status_id: string;
      opened_id: Nullable<string>;
      opened_ms: Generated<number>;
      started_ms: Generated<number>;
      is_acknowledged: Generated<boolean>;
      location_id: Nullable<string>;
      sensor_id: Nullable<string>;
      owner_id: Nullable<string>;
      owner_path: Nullable<string>;
      assignee_id: Nullable<string>;
      snoozed_until: NullableTimestamp;
    };
    issue_note: {
      id: string;
      issue_id: string;
      owner_id: string;
      at: Timestamp;
      account_id: string;
      credential_id: Nullable<string>;
      text: string;
    };
    alert: {
      id: Generated<string>;
      status_id: string;
      recipient: string;
      credential_id: string | null;
      due_at: Timestamp;
      is_deferred: boolean;
      sent_at: NullableTimestamp;
      dropped: string | null;
      over_at: NullableTimestamp;
      over_by: Nullable<string>;
      account_id: Nullable<string>;
    };
    alert_recipient: { recipient: string; mailed_at: Timestamp };
    alert_address: {
      recipient: string;
      mails: Generated<number>;
      confirmed_at: NullableTimestamp;
      ended_at: NullableTimestamp;
    };
  }
}
