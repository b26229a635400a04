// Maps issue statuses to the shape and color of their marks.
import type { IssueStatus } from "@psp/contract/monitoring/issue-words.ts";
import type { StatusTone } from "../ui/feedback/StatusDot.tsx";

export const issueTones: Record<IssueStatus, StatusTone> = { Ok: "good", Warning: "warning", Error: "bad" };
