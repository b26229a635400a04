// The result of a check, and phrases used by several checks.
import type { IssueFacts } from "@psp/contract/monitoring/issue.ts";
import type { IssueStatus } from "@psp/contract/monitoring/issue-words.ts";

export type Verdict = {
  status: IssueStatus;
  /** One sentence with the finding and the threshold. */
  message: string;
  facts: IssueFacts;
  /** The earliest instant at which time alone can change the verdict; Infinity if only new facts can. */
  againAt: number;
  /** For Ok: true if there is no problem; false if one is below the thresholds, too little is known, or the check is turned off. */
  isResolved?: boolean;
};

export const okVerdict = (message: string, againAt = Infinity, facts: IssueFacts = {}): Verdict => ({
  status: "Ok",
  message,
  facts,
  againAt,
  isResolved: true,
});

export const undecidedVerdict = (message: string, againAt = Infinity, facts: IssueFacts = {}): Verdict => ({
  ...okVerdict(message, againAt, facts),
  isResolved: false,
});

export const disabledVerdict = undecidedVerdict("This check is turned off");

const number = new Intl.NumberFormat("en");

export function pluralize(n: number, one: string, many = `${one}s`): string {
  return `${number.format(n)} ${n === 1 ? one : many}`;
}

export function findReachedThreshold(value: number, warning: number, error: number): "Warning" | "Error" | null {
  return value >= error ? "Error" : value >= warning ? "Warning" : null;
}

export const toThresholdMessage = (found: string, status: "Warning" | "Error", threshold: string): string =>
  `${found} (${status.toLowerCase()} ${threshold})`;
