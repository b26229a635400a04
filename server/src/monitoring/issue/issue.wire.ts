// Converts issues to API datapoints of the type monitoringStatus.
import type { Issue, Problem } from "@psp/contract/monitoring/issue.ts";
import type { SensorIssues } from "@psp/contract/monitoring/monitoring.api.ts";
import { localIso, zoneOf } from "@psp/contract/kit/zone.ts";
import { minMailGapMs } from "../alert/when.rules.ts";
import type { IssueDetailRow, IssueRow, SensorIssuesRow } from "./issue.store.ts";

export function toIssue(row: IssueRow): Issue {
  const zone = zoneOf(row.zone);
  return {
    id: row.id,
    type: "monitoringStatus",
    sens: row.sensorId,
    measID: row.locationId,
    start: localIso(zone, row.startMs),
    end: localIso(zone, row.endMs),
    startUTC: new Date(row.startMs).toISOString(),
    endUTC: new Date(row.endMs).toISOString(),
    data: {
      issueType: row.issueType,
      issueStatus: row.issueStatus,
      issueMessage: row.issueMessage,
      acknowledgedAt: row.acknowledgedAt?.toISOString() ?? null,
    },
  };
}

const named = (id: string | null, name: string | null) => (id === null || name === null ? null : { _id: id, name });

export function toProblem(row: IssueRow): Problem {
  return { ...toIssue(row), measurement: named(row.locationId, row.locationName) };
}

type AlertRow = {
  recipient: string;
  due_at: Date;
  is_deferred: boolean;
  sent_at: Date | null;
  dropped: string | null;
  /** Time of the last mail to the recipient. The next one waits for `minMailGapMs`. */
  mailed_at: Date | null;
};

function nextMail({ due_at, mailed_at }: AlertRow): Date {
  const gathered = mailed_at === null ? 0 : mailed_at.getTime() + minMailGapMs;
  return new Date(Math.max(due_at.getTime(), gathered));
}

/** `weekDay` is the day on which the issue came up, in its location's zone. */
export function toDetail(row: IssueDetailRow, alerts: readonly AlertRow[], weekDay: string) {
  const mails = alerts.map((alert) => {
    const { recipient: to, is_deferred, sent_at, dropped } = alert;
    return {
      to,
      state: sent_at !== null ? ("sent" as const) : dropped !== null ? ("dropped" as const) : ("waiting" as const),
      at: dropped !== null ? null : (sent_at ?? nextMail(alert)).toISOString(),
      reason: dropped ?? (sent_at === null && is_deferred ? `${weekDay} is not an active day` : null),
    };
  });
  return {
    ...toProblem(row),
    facts: row.facts,
    holds: row.holds,
    acknowledgedBy: named(row.byId, row.byName),
    mails,
    notMailed: mails.length > 0 ? null : row.notMailed,
  };
}

export function toSensorIssues({ sensorId, locationId, locationName, issues }: SensorIssuesRow): SensorIssues {
  return {
    sens: sensorId,
    measurement: named(locationId, locationName),
    issues: issues.map(({ startMs, acknowledgedMs, ...issue }) => ({
      ...issue,
      startUTC: new Date(startMs).toISOString(),
      acknowledgedAt: acknowledgedMs === null ? null : new Date(acknowledgedMs).toISOString(),
    })),
  };
}
