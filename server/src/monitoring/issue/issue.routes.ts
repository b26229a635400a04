// Maps issue calls to use cases.
import { listDataProblems } from "@psp/contract/monitoring/data-problems.api.ts";
import * as calls from "@psp/contract/monitoring/monitoring.api.ts";
import * as work from "@psp/contract/monitoring/issue-work.api.ts";
import type { Context } from "../../context.ts";
import type { Binder } from "../../http/bind.ts";
import { getDataProblems } from "../device-issues/data-problems.service.ts";
import { listAssignees } from "../open-issues/assignees.service.ts";
import { countOpenIssues } from "../open-issues/open-issues.service.ts";
import { changeOpenIssues, undoOpenIssueChanges } from "../open-issues/work.service.ts";
import * as issues from "./issue.service.ts";

export function issueRoutes(bind: Binder, ctx: Context): void {
  const find = (caller: Parameters<typeof issues.getIssue>[1], { id }: { id: string }) =>
    issues.getIssue(ctx, caller, id);
  bind.session(listDataProblems, (caller, { query }) => getDataProblems(ctx, caller, query));
  bind.session(calls.listIssues, (caller, { query }) => issues.listIssues(ctx, caller, query));
  bind.session(calls.listSensorsWithIssues, (caller, { query }) => issues.listSensorsWithIssues(ctx, caller, query));
  bind.session(calls.listLocationsWithIssues, (caller) => issues.listLocationsWithIssues(ctx, caller));
  bind.session(work.countOpenIssues, (caller) => countOpenIssues(ctx, caller));
  bind.session(work.listAssignees, (caller, { query }) => listAssignees(ctx, caller, query));
  bind.session(work.changeIssues, (caller, { body }) => changeOpenIssues(ctx, caller, body));
  bind.session(work.undoIssueChanges, (caller, { body }) => undoOpenIssueChanges(ctx, caller, body));
  bind.session(calls.getIssue, (caller, { params }) => issues.getIssue(ctx, caller, params.id), find);
  bind.session(calls.acknowledgeIssues, (caller, { body }) => issues.acknowledgeIssues(ctx, caller, body));
  bind.session(calls.listProblems, (caller, { query }) => issues.listProblems(ctx, caller, query));
  bind.session(calls.solveProblem, (caller, { params }) => issues.solveProblem(ctx, caller, params.id), find);
  bind.session(calls.solveAllProblems, (caller) => issues.solveAllProblems(ctx, caller));
}
