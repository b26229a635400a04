// The whole proof of the product with Node 20 and npm: checks, tests, build, browser journeys, and a fresh clone's life.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { buildConsole, checkNode, install, pinnedNode, ROOT, run, Stop } from "./start.mjs";

const STAGES = ["check", "unit", "crash", "e2e", "clone"];
/** What a stage may be called by name besides. */
const MORE_STAGES = ["prove"];
const REPORTS = path.join(ROOT, ".cache", "reports");
const WORKSPACES = ["contract", "server", "simulator", "e2e", "bench", "console"];

const FAILURES = path.join(REPORTS, "failures.jsonl");
const FAILURE_REPORTER = path.join(ROOT, ".ci", "failures.mjs");

/** What was counted: tests by their runners' own reports; a failed stage without a failed test counts as one failure. */
const sum = { passed: 0, failed: 0 };
/** Repeated at the very end: what scrolled by half an hour ago is not found. */
const failedStages = [];

/** A program of node_modules, run by the pinned Node, which its child programs find first, too. */
function tool(name, args, env = {}) {
  const bin = path.join(ROOT, "node_modules", ".bin");
  const PATH = `${bin}${path.delimiter}${process.env.PATH ?? ""}`;
  return run(path.join(bin, name), args, { env: { ...process.env, PATH, PSP_FAILURES_FILE: FAILURES, ...env } });
}

function heading(text) {
  console.log(`\n=== ${text} ===`);
}

function fail(what) {
  sum.failed += 1;
  failedStages.push(what);
  console.error(`FAILED: ${what}`);
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
    if (code === 0) console.log(`ok: ${title} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
    else fail(title);
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
  await Promise.all([
    vitest("vitest", rest),
    vitest("vitest-console", ["--project", "console", "--mode", "production"], { NODE_ENV: "production" }),
  ]);
}

/** The campaigns of the unit tests at their full length; see server/src/testing/rounds.ts. */
async function prove(more) {
  heading("prove: every campaign that plays by chance, for as long as it takes");
  const files = readdirSync(path.join(ROOT, "server", "src"), { recursive: true })
    .filter((file) => file.endsWith(".test.ts"))
    .filter((file) => readFileSync(path.join(ROOT, "server", "src", file), "utf8").includes("/testing/rounds.ts"));
  await vitest("prove", ["--project", "server", ...files, ...more], { PROVE: "on" });
}

async function vitest(name, more, env = {}) {
  const file = path.join(REPORTS, `${name}.json`);
  rmSync(file, { force: true });
  const reporters = [
    "--reporter=default",
    `--reporter=${FAILURE_REPORTER}`,
    "--reporter=json",
    `--outputFile.json=${file}`,
  ];
  const code = await tool("vitest", ["run", ...reporters, ...more], env);
  const report = readReport(file);
  countRun(name, code, report && { passed: report.numPassedTests, failed: report.numFailedTests });
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
      if (code === 0) sum.passed += 1;
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
  const file = path.join(REPORTS, "playwright.json");
  rmSync(file, { force: true });
  const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: file };
  const code = await tool(
    "playwright",
    ["test", "-c", "e2e/playwright.config.ts", `--reporter=list,json,${FAILURE_REPORTER}`, ...more],
    env,
  );
  const stats = readReport(file)?.stats;
  countRun("playwright", code, stats && { passed: stats.expected + stats.flaky, failed: stats.unexpected });
}

async function clone(more) {
  heading("clone: the life of a fresh clone");
  // As an outsider: with the Node that runs this file, not with the pinned one.
  const code = await run(process.execPath, [path.join(ROOT, ".ci", "fresh-clone.mjs"), ...more]);
  if (code !== 0) fail("fresh clone");
}

function countRun(runner, code, counts) {
  if (counts) {
    sum.passed += counts.passed;
    sum.failed += counts.failed;
  }
  // A run that broke outside its tests must not look whole.
  if (code !== 0 && !(counts?.failed > 0)) fail(`${runner} ended with code ${code}`);
  if (code === 0 && !counts) fail(`${runner} left no report`);
}

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
}

function tellFailures() {
  if (sum.failed === 0) return;
  heading("what failed");
  for (const what of failedStages) console.log(`\n-- ${what}`);
  const lines = existsSync(FAILURES) ? readFileSync(FAILURES, "utf8").split("\n") : [];
  for (const line of lines.filter(Boolean)) {
    const { title, text } = JSON.parse(line);
    console.log(`\n-- ${title}\n${text}`);
  }
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
  await install();
  pinnedNode();
  mkdirSync(REPORTS, { recursive: true });
  rmSync(FAILURES, { force: true });
  const work = { check, unit, crash, e2e, clone, prove };
  const times = [];
  for (const stage of stages) {
    const startedAt = Date.now();
    await work[stage](more);
    times.push(`${stage} ${Math.round((Date.now() - startedAt) / 1000)} s`);
  }
  tellFailures();
  console.log(`\n${times.join(", ")}`);
  console.log(`${sum.passed} passed, ${sum.failed} failed`);
  return sum.failed === 0 ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error instanceof Stop ? error.message : error);
    process.exit(1);
  },
);
