// Checks a workflow with GitHub's parser and with this project's own rules.

import { registerHooks } from "node:module";
import { parse } from "yaml";

// The parser imports JSON files without the import attribute that Node requires.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return specifier.endsWith(".json") ? { ...found, importAttributes: { type: "json" } } : found;
  },
});
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import("@actions/workflow-parser");

/** GitHub's own actions may be pinned by major version, all others only by commit. */
const ACTION = /^(actions\/[\w-]+@v\d+|[\w-]+\/[\w/-]+@[0-9a-f]{40})$/;

export async function workflowFaults(text, { file, texts }) {
  const { context, value } = parseWorkflow({ name: file, content: text }, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  const errors = context.errors.getErrors().map(({ message }) => message);
  if (errors.length > 0) return errors;
  const { permissions, concurrency, jobs } = parse(text);
  const faults = [];
  if (JSON.stringify(permissions) !== '{"contents":"read"}') faults.push("may do more than read");
  if (concurrency === undefined) faults.push("has no concurrency group");
  for (const [name, job] of Object.entries(jobs))
    faults.push(...jobFaults(job, texts).map((fault) => `${name} ${fault}`));
  return [...faults, ...stageFaults(text, texts.get("test.mjs"))];
}

function jobFaults(job, texts) {
  const faults = [];
  if (job["timeout-minutes"] === undefined) faults.push("has no time limit");
  if (job.permissions !== undefined) faults.push("has permissions of its own");
  for (const { uses, with: inputs = {} } of job.steps) {
    if (uses !== undefined && !ACTION.test(uses)) faults.push(`uses ${uses}, which is not pinned`);
    if (uses?.startsWith("actions/checkout@") && inputs["persist-credentials"] !== false)
      faults.push("keeps the token");
    const oldest = JSON.parse(texts.get("package.json")).engines.node;
    if (uses?.startsWith("actions/setup-node@") && `>=${inputs["node-version"]}` !== oldest)
      faults.push(`starts with Node ${inputs["node-version"]}, and package.json promises ${oldest}`);
  }
  return faults;
}

/** Checks that the workflow runs every stage of test.mjs, either completely or in all its shards. */
function stageFaults(text, test) {
  const [, list = ""] = /^const STAGES = \[([\s\S]*?)\];/m.exec(test) ?? [];
  const stages = [...list.matchAll(/"(\w+)"/g)].map(([, stage]) => stage);
  if (stages.length === 0) return ["has no list of stages to compare with"];
  const runs = [...text.matchAll(/test\.mjs --only (\w+)(?: --shard=(\d+)\/(\d+))?/g)];
  const faults = runs
    .filter(([, stage]) => !stages.includes(stage))
    .map(([, stage]) => `runs ${stage}, which is no stage`);
  for (const stage of stages) {
    const own = runs.filter((run) => run[1] === stage);
    const found = own.map(([, , shard, count]) => (shard === undefined ? "whole" : `${shard}/${count}`));
    const count = Number(own[0]?.[3] ?? 0);
    const wanted = count === 0 ? ["whole"] : Array.from({ length: count }, (_, at) => `${at + 1}/${count}`);
    if (String(found.toSorted()) !== String(wanted))
      faults.push(`runs ${stage} in these parts: ${found.join(", ") || "none"}`);
  }
  return faults;
}
