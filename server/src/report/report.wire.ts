// Converts report rows to the API format.
import type { Report, ReportQuery } from "@psp/contract/report/report.ts";
import type { Schedule } from "@psp/contract/report/schedule.ts";
import type { Context } from "../context.ts";
import { toOwnerRef } from "../owned/owner.ts";
import type { ReportRow } from "./report.store.ts";

type Shown = Omit<ReportRow, "may_edit" | "recipients" | "creator"> &
  Partial<Pick<ReportRow, "may_edit" | "recipients" | "creator">>;

export function toReport(ctx: Context, row: Shown): Report {
  const isOn = row.is_enabled && row.stopped === null;
  return {
    _id: row.id,
    name: row.name,
    owner: toOwnerRef(ctx, row),
    ...row.query,
    schedule: row.schedule,
    language: row.language as Report["language"],
    ...(row.may_edit ? { recipients: row.recipients ?? [] } : {}),
    recipientCount: row.recipient_count,
    enabled: row.is_enabled,
    stopped: row.stopped,
    isWeekly: row.is_weekly,
    ...(row.creator === undefined ? {} : { creator: row.creator }),
    nextAt: (isOn && row.next_at?.toISOString()) || null,
    lastRun:
      row.last_run_at && row.last_run_state ? { at: row.last_run_at.toISOString(), state: row.last_run_state } : null,
    isDeleted: row.is_deleted,
    version: row.version,
  };
}

type Trailed = {
  name: string;
  owner_id: string;
  query: ReportQuery;
  schedule: Schedule;
  is_enabled: boolean;
  stopped: string | null;
};

/** The audited fields. Addresses of recipients are personal data, and are not in the audit log. */
export function reportTrail({ name, owner_id, query, schedule, is_enabled, stopped }: Trailed) {
  return { name, owner: owner_id, ...query, schedule, enabled: is_enabled, stopped };
}
