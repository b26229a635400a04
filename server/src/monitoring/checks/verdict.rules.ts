// What every check answers, and the words that its answers share.
import type { IssueFacts } from "@psp/contract/monitoring/issue.ts";
import type { IssueStatus } from "@psp/contract/monitoring/issue-words.ts";

export type Verdict = {
  status: IssueStatus;
  /** One sentence: what was found, and from when on it counts. */
  message: string;
  facts: IssueFacts;
  /** The earliest instant at which time alone can change the verdict; Infinity when only new facts can. */
  againAt: number;
  /** Nothing is wrong; without it a verdict of Ok only says that a threshold is not reached, or that too little is known. */
  isResolved?: boolean;
};

export const ok = (message: string, againAt = Infinity, facts: IssueFacts = {}): Verdict => ({
  status: "Ok",
  message,
  facts,
  againAt,
  isResolved: true,
});

/** Ok, but not because all is well. */
export const undecided = (message: string, againAt = Infinity, facts: IssueFacts = {}): Verdict => ({
  ...ok(message, againAt, facts),
  isResolved: false,
});

export const switchedOff = undecided("This check is turned off");

const number = new Intl.NumberFormat("en");

/** 1 day, 2,000 days. */
export function several(n: number, one: string, many = `${one}s`): string {
  return `${number.format(n)} ${n === 1 ? one : many}`;
}

/** The worse of two thresholds that is reached, if any. */
export function reached(value: number, warning: number, error: number): "Warning" | "Error" | null {
  return value >= error ? "Error" : value >= warning ? "Warning" : null;
}

/** What was found, and which threshold made it an issue: "… (error after 3)". */
export const byThreshold = (found: string, status: "Warning" | "Error", threshold: string): string =>
  `${found} (${status.toLowerCase()} ${threshold})`;
