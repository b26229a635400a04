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

export const switchedOff = undecided("The check is switched off");

/** 1 day, 2 days. */
export function several(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** The worse of two thresholds that is reached, if any. */
export function reached(value: number, warning: number, error: number): "Warning" | "Error" | null {
  return value >= error ? "Error" : value >= warning ? "Warning" : null;
}

/** What the threshold of a status is called in a message. */
export const fromWord = { Warning: "warning", Error: "error" } as const;

/** With one decimal at most: 2.5, 3. */
export const rounded = (value: number): string => String(Math.round(value * 10) / 10);
