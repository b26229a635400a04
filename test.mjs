// Runs all checks, tests, browser journeys and the fresh clone test, needing only Node 20 and npm.

import { randomInt } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { conclude } from "./.ci/conclude.mjs";
import { CAMPAIGNS, WHOLE_CAMPAIGNS } from "./.ci/campaigns.list.mjs";
import { folderInMemory } from "./.ci/folder-in-memory.mjs";
import { runAndKeep } from "./.ci/kept-output.mjs";
import { isNeverRetried, toTestPattern, retryFailures } from "./.ci/second-try.mjs";
import { buildConsole, checkNode, install, pinnedNode, ROOT, run, UserError } from "./start.mjs";

/** Three lanes run in parallel, because each waits at times. A lane that is free takes the next stage. */
const STAGES = ["check", "console", "unit", "e2e", "clone", "crash"];
/** Options that exclude the tests that run only in `npm run prove` (see CONTRIBUTING). */
const LEAVE_OUT = { vitest: ["--tags-filter=!prove"], playwright: ["--grep-invert=@prove"] };
const REPORTS = path.join(ROOT, ".cache", "reports");
/** Folder of Node's compile cache. The cache pays off because server and simulator are started about a hundred times. */
const NODE_COMPILE_CACHE = path.join(ROOT, ".cache", "compiled");
/** Where tests keep databases and browser profiles. */
const TEMPORARY = folderInMemory();
/** The type checker is written in Go, whose garbage collection takes a third of its time unless it may use this much memory. */
const COLLECT_RARELY = { GOGC: "off", GOMEMLIMIT: "3GiB" };
/** Vitest projects that need no browser. */
const PROJECTS = ["contract", "server", "simulator", "console-rules"].flatMap((project) => ["--project", project]);
const FAILURE_REPORTER = path.join(ROOT, ".ci", "failures.mjs");

/** Number of passed tests. A check, a campaign and the fresh clone count as one test each. */
let passed = 0;
/**
 * Failures of the first run, as recorded by `.ci/failures.mjs`. Failures of commands have no `file`, and `stage` reruns them if
 * they may be rerun.
 */
const failures = [];

const times = [];
async function timed(name, work) {
  const startedAt = Date.now();
  const result = await work();
  times.push([name, Date.now() - startedAt]);
  return result;
}

/** Runs a program in node_modules with the pinned Node. Its child processes use the same Node. */
function tool(name, args, env = {}, start = run) {
  const bin = path.join(ROOT, "node_modules", ".bin");
  const PATH = `${bin}${path.delimiter}${process.env.PATH ?? ""}`;
  const own = { PATH, NODE_COMPILE_CACHE, ...TEMPORARY, ...env };
  return start(path.join(bin, name), args, { cwd: ROOT, env: { ...process.env, ...own } });
}

function heading(text) {
  console.log(`\n=== ${text} ===`);
}

/** Records a failed command. `stage` is the function that reruns it; without one, there is no second try. */
function fail(title, stage, text = "") {
  failures.push({ title, stage, file: null, passed: 0, text });
  console.error(`FAILED: ${title}`);
}

async function check() {
  heading("check: format, import rules, spelling, types, lint");
  // The quickest come first, so that a slip shows early in a run.
  const commands = [
    "oxfmt --check",
    "node .ci/import-rules.mjs",
    "node .ci/citations.mjs",
    "node .ci/doc-commands.mjs",
    "node .ci/lockfile.mjs",
    "node .ci/deploy-files.mjs",
    // Finds unused files and exports.
    "knip --no-progress",
    // Skips files that have not changed since they were found correct.
    "cspell lint --quiet --no-progress --cache --cache-location .cache/cspell --cache-strategy content .",
    // Also checks types, because a separate tsc would have to read everything again.
    "oxlint --type-aware --type-check --quiet",
  ];
  for (const title of commands) {
    const [program, ...args] = title.split(" ");
    const startedAt = Date.now();
    const { code, text } = await tool(program, args, COLLECT_RARELY, runAndKeep);
    // Prints the command as a developer would type it: npx finds the tool and the pinned Node.
    if (code !== 0) fail(`npx ${title}`, undefined, text);
    else console.log(`ok: ${title} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
    if (code === 0) passed += 1;
  }
}

async function unit(more) {
  heading("unit: rules, use cases and devices");
  await vitest("vitest", [...LEAVE_OUT.vitest, ...PROJECTS, ...more]);
}

/** If folders or files are named in `more`, runs all of their tests. */
async function consoleScreens(more) {
  heading("console: screens, one page at a time");
  const isNamed = more.some((one) => !one.startsWith("-"));
  await vitestConsole("vitest-console", [...(isNamed ? [] : LEAVE_OUT.vitest), ...more]);
}

/** Uses React's production build, which renders twice as fast. */
function vitestConsole(name, more) {
  return vitest(name, ["--project", "console", "--mode", "production", ...more], { NODE_ENV: "production" });
}

/** Runs all parts, or only the named ones, at full length with random seeds (see CONTRIBUTING). */
async function prove(names) {
  const seed = process.env.PROVE_SEED ?? String(randomInt(1_000_000));
  Object.assign(process.env, { PROVE: "on", PROVE_SEED: seed });
  const parts = {
    check,
    planted,
    unit: () => vitest("vitest", PROJECTS),
    // Files run in random order, because they share a page and must not depend on each other.
    console: () => vitestConsole("vitest-console", ["--sequence.shuffle.files", `--sequence.seed=${seed}`]),
    e2e: async () => (await build()) && playwright("playwright", []),
    campaigns: async () => {
      for (const each of WHOLE_CAMPAIGNS) await campaign(...each);
    },
    clone: () => clone(["--whole"]),
    docs: docCommands,
  };
  const unknown = names.find((name) => !(name in parts));
  if (unknown !== undefined) throw new UserError(`${unknown} is no part of prove: ${Object.keys(parts).join(", ")}`);
  console.log(`PROVE_SEED=${seed} brings the same random campaigns again`);
  for (const [name, part] of Object.entries(parts)) {
    if (names.length > 0 && !names.includes(name)) continue;
    heading(`prove: ${name}`);
    await timed(name, part);
  }
}

async function planted() {
  for (const name of ["second-try", "release"]) {
    const code = await tool("node", [path.join(ROOT, ".ci", `${name}.planted.mjs`)]);
    if (code === 0) passed += 1;
    else fail(`planted cases of ${name}`);
  }
}

async function docCommands() {
  const code = await tool("node", [path.join(ROOT, ".ci", "doc-commands.mjs"), "--run"]);
  if (code === 0) passed += 1;
  else fail("commands of README, CONTRIBUTING and docs");
}

async function vitest(name, more, env = {}) {
  const reporters = ["--reporter=default", `--reporter=${FAILURE_REPORTER}`, "--reporter=json"];
  await runTests(name, "vitest", ["run", ...reporters, `--outputFile.json=${reportOf(name)}`, ...more], env);
}

async function playwright(name, more) {
  const args = ["test", "-c", "e2e/playwright.config.ts", `--reporter=list,json,${FAILURE_REPORTER}`, ...more];
  await runTests(name, "playwright", args, { PLAYWRIGHT_JSON_OUTPUT_FILE: reportOf(name) });
}

async function runTests(name, runner, args, env) {
  const failed = path.join(REPORTS, `${name}.failures.jsonl`);
  for (const file of [reportOf(name), failed]) rmSync(file, { force: true });
  const code = await tool(runner, args, { PSP_FAILURES_FILE: failed, ...env });
  const found = readText(failed).split("\n").filter(Boolean).map(JSON.parse);
  failures.push(...found);
  const report = JSON.parse(readText(reportOf(name)) || "null");
  if (report === null) return fail(`${name} left no report`);
  passed += report.numPassedTests ?? report.stats.expected;
  // The runner itself may have failed without reporting a test.
  if (code !== 0 && found.length === 0) fail(`${name} ended with code ${code}`);
}

/** Campaigns run in parallel, because each has its own server and mostly waits for it. */
async function crash() {
  heading("crash: kills of servers and databases under writers, in a rollout, and while mails are due");
  await Promise.all(CAMPAIGNS.map(([name, args]) => campaign(name, args)));
}

async function campaign(name, args) {
  const code = await tool("node", [`bench/campaigns/${name}.ts`, ...args.split(" ").filter(Boolean)]);
  if (code === 0) passed += 1;
  else if (code === 2) console.log(`left out: this machine does not have the programs of the campaign ${name}`);
  else fail(`${name} campaign`);
}

/** The build of the console, once it has begun: whether it succeeded. */
let building = null;
const build = () => (building ??= buildOnce());

async function buildOnce() {
  heading("build: the console");
  try {
    await buildConsole();
    console.log("ok: the console is built");
    return true;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    fail(error.message);
    return false;
  }
}

async function e2e(more) {
  if (!(await build())) return;
  heading("e2e: journeys in a browser");
  await playwright("playwright", [...LEAVE_OUT.playwright, ...more]);
}

async function clone(args = []) {
  heading("clone: the life of a fresh clone");
  // The clone links the console, which must not be half built.
  await building;
  // Uses the current Node instead of the pinned one, as a new user would.
  const code = await run(process.execPath, [path.join(ROOT, ".ci", "fresh-clone.mjs"), ...args]);
  if (code === 0) passed += 1;
  else fail("fresh clone", () => clone(args));
}

function reportOf(name) {
  return path.join(REPORTS, `${name}.json`);
}

function readText(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** Reruns one failed test with the seeds of the first run. Resolves to whether it passed. */
async function again(failure) {
  heading(`second try: ${failure.title}`);
  passed -= failure.passed;
  const before = { passed, failures: failures.length };
  await (failure.stage ?? testAgain)(failure);
  return failures.splice(before.failures).length === 0 && passed > before.passed;
}

function testAgain({ runner, project, file, names }) {
  const name = "second-try";
  if (runner === "playwright") return playwright(name, ["--test-list", listOf(file, names)]);
  const only = [file, ...(names === null ? [] : ["-t", toTestPattern(names)])];
  return project === "console" ? vitestConsole(name, only) : vitest(name, ["--project", project, ...only]);
}

/** Writes a file for Playwright's --test-list that contains only one journey; returns its path. */
function listOf(file, names) {
  const list = path.join(REPORTS, "second-try.list");
  writeFileSync(list, [path.relative("e2e", file), ...names].join(" › "));
  return list;
}

function isFinal(failure) {
  if (failure.stage) return false;
  return isNeverRetried(failure, (file) => readText(path.join(ROOT, file)));
}

function readArguments(args) {
  const [flag, stage, ...more] = args;
  if (flag === undefined) return { stages: STAGES, more: [] };
  const known = [...STAGES, "prove"];
  if (flag !== "--only" || !known.includes(stage))
    throw new UserError(`usage: node test.mjs [--only ${known.join("|")} [more]]`);
  return { stages: [stage], more };
}

async function main() {
  checkNode();
  const { stages, more } = readArguments(process.argv.slice(2));
  mkdirSync(REPORTS, { recursive: true });
  const work = { check, unit, console: consoleScreens, crash, e2e, clone, prove };
  const begun = Date.now();
  await timed("install", install);
  pinnedNode();
  const waiting = [...stages];
  const lane = async () => {
    for (let stage = waiting.shift(); stage !== undefined; stage = waiting.shift())
      await timed(stage, () => work[stage](more));
  };
  await Promise.all([lane(), lane(), lane()]);
  const verdict = await timed("second try", () => retryFailures([...failures], again, isFinal));
  times.push(["all", Date.now() - begun]);
  const closing = conclude(verdict, times, passed);
  console.log(`\n${closing.passed} passed, ${closing.failed} failed`);
  return closing.failed === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error instanceof UserError ? error.message : error);
    process.exit(1);
  },
);
