// Sample issues for tests.
import type { IssueStatus, IssueType } from "@psp/contract/monitoring/issue-words.ts";
import type { IssueDetail, ListedIssue } from "@psp/contract/monitoring/issue.ts";

export const issueId = (n: number) => `00000000-0000-4000-8000-0000000001${String(n).padStart(2, "0")}`;

type Facts = {
  type?: IssueType;
  status?: IssueStatus;
  message?: string;
  sens?: string;
  acknowledgedAt?: string | null;
};

export function plainIssue(n: number, facts: Facts = {}): ListedIssue {
  const { type = "connection", status = "Error", message = "Offline for 2 days", sens = "02:00:00:00:7A:01" } = facts;
  const startUTC = new Date(Date.UTC(2026, 10, 20, 10 - n)).toISOString();
  const start = startUTC.replace("Z", "+00:00");
  return {
    id: issueId(n),
    type: "monitoringStatus",
    sens,
    measID: "00000000-0000-4000-8000-000000000006",
    start,
    end: start,
    startUTC,
    endUTC: startUTC,
    data: {
      issueType: type,
      issueStatus: status,
      issueMessage: message,
      acknowledgedAt: facts.acknowledgedAt ?? null,
    },
    owner: null,
    location: { _id: "00000000-0000-4000-8000-000000000006", name: "Harbour Shop" },
    since: startUTC,
    assignee: null,
    note: null,
    notesCount: 0,
    snoozedUntil: null,
  };
}

export const plainDetail = (issue: ListedIssue, facts: Partial<IssueDetail> = {}): IssueDetail => ({
  ...issue,
  measurement: { _id: "00000000-0000-4000-8000-000000000006", name: "Harbour Shop" },
  facts: {},
  holds: true,
  acknowledgedBy: null,
  mails: [],
  notMailed: null,
  notes: [],
  ...facts,
});
