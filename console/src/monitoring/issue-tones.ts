// How statuses of issues look: the same shape and color everywhere, beside their word.
import type { IssueStatus } from "@psp/contract/monitoring/issue-words.ts";
import type { StatusTone } from "../ui/feedback/StatusDot.tsx";

export const issueTones: Record<IssueStatus, StatusTone> = { Ok: "good", Warning: "warning", Error: "bad" };
