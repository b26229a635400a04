// Mail about issues assigned to a login: one per change, regardless of the number of issues.
import { type IssueStatus, type IssueType, issueTypeLabels } from "@psp/contract/monitoring/issue-words.ts";
import { type MailBody, renderMail } from "../../mail/layout.ts";

/** Issues that the mail names; more are only counted. */
const named = 20;

export type AssignedIssue = { sensorId: string; type: IssueType; status: IssueStatus };

export function assignmentMail(
  by: string,
  issues: readonly AssignedIssue[],
  note: string | undefined,
  publicUrl: string,
): MailBody {
  const what = issues.length === 1 ? "an issue" : `${issues.length.toLocaleString("en")} issues`;
  const rest = issues.length - named;
  return renderMail({
    subject: `${by} assigned you ${what}`,
    paragraphs: [`${by} assigned you ${what} on PS.Platform.`, ...(note === undefined ? [] : [`Note: ${note}`])],
    items: issues.slice(0, named).map(({ sensorId, type, status }) => ({
      text: `${status}: ${issueTypeLabels[type]}, sensor ${sensorId}`,
      link: `${publicUrl}/sensor/${encodeURIComponent(sensorId)}/logs`,
    })),
    afterItems: rest > 0 ? [`And ${rest.toLocaleString("en")} more.`] : [],
    action: { label: "Show my issues", link: `${publicUrl}/issues?assigneeID=me` },
  });
}
