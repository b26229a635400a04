// Kysely types of the monitoring tables; migration 0025 documents the columns.
import type { IssueStatus, IssueType } from "@psp/contract/monitoring/issue-words.ts";
import type { Generated } from "kysely";
import type { At, Maybe, MaybeAt } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    fact_mark: { id: Generated<string>; sensor_num: number; from_ms: number | null };
    monitor: {
      sensor_num: number;
      check_at: At;
      judged_day: number | null;
      delivered_day: number | null;
      zone: string;
    };
    uptime_day: { sensor_num: number; day: number; up_s: number };
    sensor_issue: { sensor_num: number; issue_type: IssueType; issue_status: IssueStatus; status_id: string };
    alert: {
      id: Generated<string>;
      status_id: string;
      recipient: string;
      credential_id: string | null;
      due_at: At;
      is_deferred: boolean;
      sent_at: MaybeAt;
      dropped: string | null;
      over_at: MaybeAt;
      over_by: Maybe<string>;
      account_id: Maybe<string>;
    };
    alert_recipient: { recipient: string; mailed_at: At };
    alert_address: { recipient: string; mails: Generated<number>; confirmed_at: MaybeAt; ended_at: MaybeAt };
  }
}
