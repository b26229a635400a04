// The whole proof of the product with Node 20 and npm: checks, tests, build, browser journeys, and a fresh clone's life.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isNeverFlaky, MAX_FLAKY, MAX_SECOND_TRIES, patternOf, trySecondTime } from "./.ci/second-try.mjs";
import { buildConsole, checkNode, install, pinnedNode, ROOT, run, Stop } from "./start.mjs";

const STAGES = ["check", "unit", "crash", "e2e", "clone"];
/** What a stage may be called by name besides. */
const MORE_STAGES = ["prove"];
const REPORTS = path.join(ROOT, ".cache", "reports");
const WORKSPACES = ["contract", "server", "simulator", "e2e", "bench", "console"];

const FAILURE_REPORTER = path.join(ROOT, ".ci", "failures.mjs");

/** Tests that passed, by their runners' own reports; a check, a campaign or the fresh clone counts as one. */
let passed = 0;
/** What failed in its first run, as `.ci/failures.mjs` records it; stages without a runner have a `stage` instead of a file. */
const failures = [];

/** A program of node_modules, run by the pinned Node, which its child programs find first, too. */
function tool(name, args, env = {}) {
  const bin = path.join(ROOT, "node_modules", ".bin");
  const PATH = `${bin}${path.delimiter}${process.env.PATH ?? ""}`;
  return run(path.join(bin, name), args, { env: { ...process.env, PATH, ...env } });
}

function heading(text) {
  console.log(`\n=== ${text} ===`);
}

/** Records the failure of a command. `stage` runs it again; without it there is no second try. */
function fail(title, stage) {
  failures.push({ title, stage, file: null, passed: 0, text: "" });
  console.error(`FAILED: ${title}`);
}

async function check() {
  heading("check: types, lint, import rules, format");
  const commands = [
    ...WORKSPACES.map((workspace) => `tsc -p ${workspace}`),
    "oxlint --type-aware --quiet",
    "oxfmt --check",
    "cspell lint --quiet --no-progress .",
    "node .ci/import-rules.mjs",
    "node .ci/lockfile.mjs",
  ];
  for (const title of commands) {
    const [program, ...args] = title.split(" ");
    const startedAt = Date.now();
    const code = await tool(program, args);
    if (code !== 0) {
      fail(title);
      continue;
    }
    passed += 1;
    console.log(`ok: ${title} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  }
}

/**
 * The screens beside the rest: a page can't be shared by tests, so they run one after the other, and leave a processor free.
 * With the React that ships, which draws in half the time of the one that explains itself.
 */
async function unit(more) {
  heading("unit: rules, use cases, devices and screens");
  if (more.length > 0) return vitest("vitest", more);
  const rest = ["contract", "server", "simulator"].flatMap((project) => ["--project", project]);
  await Promise.all([vitest("vitest", rest), vitestConsole("vitest-console", [])]);
}

function vitestConsole(name, more) {
  return vitest(name, ["--project", "console", "--mode", "production", ...more], { NODE_ENV: "production" });
}

/** The second try against planted failures, and the campaigns of the unit tests at their full length (testing/rounds.ts). */
async function prove(more) {
  heading("prove: the second try");
  const code = await tool("node", [path.join(ROOT, ".ci", "second-try.planted.mjs")]);
  if (code === 0) passed += 1;
  else fail("planted failures of the second try");
  heading("prove: random campaigns at full length");
  const files = readdirSync(path.join(ROOT, "server", "src"), { recursive: true })
    .filter((file) => file.endsWith(".test.ts"))
    .filter((file) => readFileSync(path.join(ROOT, "server", "src", file), "utf8").includes("/testing/rounds.ts"));
  await vitest("prove", ["--project", "server", ...files, ...more], { PROVE: "on" });
}

async function vitest(name, more, env = {}) {
  const reporters = ["--reporter=default", `--reporter=${FAILURE_REPORTER}`, "--reporter=json"];
  await runTests(name, "vitest", ["run", ...reporters, `--outputFile.json=${reportOf(name)}`, ...more], env);
}

async function playwright(name, more) {
  const args = ["test", "-c", "e2e/playwright.config.ts", `--reporter=list,json,${FAILURE_REPORTER}`, ...more];
  await runTests(name, "playwright", args, { PLAYWRIGHT_JSON_OUTPUT_FILE: reportOf(name) });
}

/** Runs a test runner whose JSON report goes to `reportOf(name)`; counts what passed and collects what failed. */
async function runTests(name, runner, args, env) {
  const failed = path.join(REPORTS, `${name}.failures.jsonl`);
  for (const file of [reportOf(name), failed]) rmSync(file, { force: true });
  const code = await tool(runner, args, { PSP_FAILURES_FILE: failed, ...env });
  const found = readText(failed).split("\n").filter(Boolean).map(JSON.parse);
  failures.push(...found);
  const report = JSON.parse(readText(reportOf(name)) || "null");
  if (report === null) return fail(`${name} left no report`);
  passed += report.numPassedTests ?? report.stats.expected;
  // A run that broke outside its tests must not look whole.
  if (code !== 0 && found.length === 0) fail(`${name} ended with code ${code}`);
}

/** Side by side: each has a product of its own, and waits most of its time for it to come back. */
async function crash(more) {
  heading(
    "crash: twenty kills of server and database under writers; a rollout to a hundred sensors, and mails about a hundred, with kills of the server",
  );
  const campaigns = {
    crash: ["--kills", "20", ...more],
    rollout: ["--sensors", "100", "--kills", "2", "--device-kills", "0"],
    alerts: ["--sensors", "100", "--kills", "4"],
  };
  await Promise.all(
    Object.entries(campaigns).map(async ([name, args]) => {
      const code = await tool("node", [path.join(ROOT, "bench", "campaigns", `${name}.ts`), ...args]);
      if (code === 0) passed += 1;
      else fail(`${name} campaign`);
    }),
  );
}

async function e2e(more) {
  heading("build: the console");
  try {
    await buildConsole();
    console.log("ok: the console is built");
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    fail(error.message);
    return;
  }
  heading("e2e: journeys in a browser");
  await playwright("playwright", more);
}

async function clone() {
  heading("clone: the life of a fresh clone");
  // As an outsider: with the Node that runs this file, not with the pinned one.
  const code = await run(process.execPath, [path.join(ROOT, ".ci", "fresh-clone.mjs")]);
  if (code === 0) passed += 1;
  else fail("fresh clone", clone);
}

function reportOf(name) {
  return path.join(REPORTS, `${name}.json`);
}

function readText(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** Runs one failure alone, with the seeds of the first run; resolves to whether it passed. */
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
  const only = [file, ...(names === null ? [] : ["-t", patternOf(names)])];
  return project === "console" ? vitestConsole(name, only) : vitest(name, ["--project", project, ...only]);
}

/** Writes a list of one journey for Playwright's --test-list; returns the file. */
function listOf(file, names) {
  const list = path.join(REPORTS, "second-try.list");
  writeFileSync(list, [path.relative("e2e", file), ...names].join(" › "));
  return list;
}

/** Whether a failure gets no second try. */
function isFinal(failure) {
  if (failure.stage) return false;
  return isNeverFlaky(failure, (file) => readText(path.join(ROOT, file)));
}

/** Prints failures, times and flaky tests; returns the counts for the closing line. */
function conclude({ flaky, failed }, times) {
  if (failed.length + flaky.length > 0) heading("what failed");
  for (const { title, text } of [...failed, ...flaky]) console.log(`\n-- ${title}\n${text}`);
  heading("times");
  for (const [stage, ms] of times) console.log(`${stage.padEnd(12)}${String(Math.round(ms / 1000)).padStart(6)} s`);
  if (flaky.length > 0) {
    const isTooMany = flaky.length > MAX_FLAKY;
    console.log(
      `\nflaky: ${flaky.length}${isTooMany ? `, which is more than ${MAX_FLAKY}: they count as failed` : ""}`,
    );
    for (const { title } of flaky) console.log(`  ${title}`);
    if (isTooMany) return { passed: passed - flaky.length, failed: failed.length + flaky.length };
  }
  if (failed.length > MAX_SECOND_TRIES) console.log(`\nNo second try: more than ${MAX_SECOND_TRIES} failures.`);
  return { passed, failed: failed.length };
}

function readArguments(args) {
  const [flag, stage, ...more] = args;
  if (flag === undefined) return { stages: STAGES, more: [] };
  const known = [...STAGES, ...MORE_STAGES];
  if (flag !== "--only" || !known.includes(stage))
    throw new Stop(`usage: node test.mjs [--only ${known.join("|")} [more]]`);
  return { stages: [stage], more };
}

async function main() {
  checkNode();
  const { stages, more } = readArguments(process.argv.slice(2));
  mkdirSync(REPORTS, { recursive: true });
  const work = { check, unit, crash, e2e, clone, prove };
  const times = [];
  const timed = async (name, run) => {
    const startedAt = Date.now();
    const result = await run();
    times.push([name, Date.now() - startedAt]);
    return result;
  };
  await timed("install", install);
  pinnedNode();
  for (const stage of stages) await timed(stage, () => work[stage](more));
  const verdict = await timed("second try", () => trySecondTime([...failures], again, isFinal));
  times.push(["all", times.reduce((sum, [, ms]) => sum + ms, 0)]);
  const closing = conclude(verdict, times);
  console.log(`\n${closing.passed} passed, ${closing.failed} failed`);
  return closing.failed === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error instanceof Stop ? error.message : error);
    process.exit(1);
  },
);
