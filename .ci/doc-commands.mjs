// Checks the commands in README, CONTRIBUTING and docs: each needs an entry in doc-commands.list.mjs, and its scripts and files
// must exist. With `--run` (part of `npm run prove`), also runs them in a clone with this machine's Node, as README promises.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { COMMANDS } from "./doc-commands.list.mjs";
import { cloneInto, freePorts, linkInto, newUserEnv } from "./fresh-clone.product.mjs";

const ROOT = path.resolve(import.meta.dirname, "..");
const PROGRAMS = "npm npx node docker git tsc oxlint oxfmt vitest playwright mosquitto_pub pg_dump".split(" ");
const COMMAND = new RegExp(`^(?:[A-Z_]+=\\S+ )*(?:${PROGRAMS.join("|")}) [^<>]+$`);
const DEFAULT_LIMIT_S = 60;

/** Commands in code spans and code blocks, without comments. */
function commandsOf(text) {
  const blocks = [...text.matchAll(/^ *```.*\n([\s\S]*?)^ *```/gm)].flatMap(([, block]) => block.split("\n"));
  const spans = [...text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/`([^`]+)`/g)].map(([, span]) => span);
  return [...blocks, ...spans]
    .map((one) =>
      one
        .replace(/\s+#.*$/, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    .filter((one) => COMMAND.test(one));
}

/** Returns a problem that can be found without running the command, or null. */
function problemOf(command, entries) {
  if (entries[command] === undefined) return "no entry in .ci/doc-commands.list.mjs says how to try it";
  const [, script] = /\bnpm run ([\w:]+)/.exec(command) ?? [];
  if (script && !(script in scripts)) return `package.json has no script "${script}"`;
  const [, file] = /\bnode (\S+\.\w+)/.exec(command) ?? [];
  return file && !existsSync(path.join(ROOT, file)) ? `there is no file ${file}` : null;
}
const { scripts } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));

/** Returns commands without an entry and entries without a command. `documents` maps names to texts. */
function check(documents, entries) {
  const found = new Set();
  const problems = [];
  for (const [name, text] of Object.entries(documents))
    for (const command of commandsOf(text)) {
      found.add(command);
      const problem = problemOf(command, entries);
      if (problem !== null) problems.push(`${name}: \`${command}\`: ${problem}`);
    }
  for (const command of Object.keys(entries))
    if (!found.has(command)) problems.push(`no document names \`${command}\` any more`);
  return problems;
}

/** Runs a command and returns the problem, or null. With `until`, stops it once its output matches. */
async function run(command, place, { with: replaced = {}, env = {}, until, says, code = 0, limitS = DEFAULT_LIMIT_S }) {
  const line = Object.entries(replaced).reduce((text, [from, to]) => text.replace(from, () => to), command);
  const child = spawn(line, { shell: true, cwd: place.repo, env: newUserEnv(place, env), detached: true });
  let output = "";
  const kill = (signal) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // It has already exited.
    }
  };
  let isReached = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
      if (isReached || !until?.test(output)) return;
      isReached = true;
      kill("SIGTERM");
    });
  const timer = setTimeout(() => kill("SIGKILL"), limitS * 1000);
  const [exitCode, signal] = await once(child, "close");
  clearTimeout(timer);
  const isRight = until ? isReached : exitCode === code && (says?.test(output) ?? true);
  return isRight ? null : `ended with ${signal ?? exitCode}: ${output.slice(-2000)}`;
}

async function runAll() {
  const base = mkdtempSync(path.join(tmpdir(), "psp-docs-"));
  const place = { repo: path.join(base, "clone"), home: path.join(base, "home"), cache: path.join(base, "npm-cache") };
  const problems = [];
  try {
    console.log(cloneInto(ROOT, place.repo));
    linkInto(place.repo, ROOT);
    mkdirSync(place.home);
    // A failing command must be noticed.
    if ((await run("npm run nothing", place, {})) === null) problems.push("a failing command is not noticed");
    for (const [command, entry] of Object.entries(COMMANDS)) {
      if (typeof entry === "string") {
        console.log(`left out: ${command}: ${entry}`);
        continue;
      }
      const [port, mqttPort] = await freePorts(2);
      const startedAt = Date.now();
      const problem = await run(command, place, typeof entry === "function" ? entry(port, mqttPort) : entry);
      if (problem !== null) problems.push(`\`${command}\` ${problem}`);
      else console.log(`ok: ${command} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
    }
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 30 });
  }
  return problems;
}

/** Returns the kinds of invalid command that `check` doesn't find. */
function proveCheck() {
  const entries = { "npm run gone": "seed", "node bench/gone.ts": "seed", "npm run spec": {} };
  const seeds = {
    "an unknown command": "Call `npm run check -- --fast`.",
    "an unknown command in a block": "```\nPORT=1 npm start   # a comment\n```",
    "a script that is gone": "`npm run gone`",
    "a file that is gone": "`node bench/gone.ts`",
  };
  const isSeen = (text) => check({ seed: text }, entries).some((problem) => problem.startsWith("seed:"));
  const missed = Object.keys(seeds).filter((title) => !isSeen(seeds[title]));
  if (isSeen("`npm run spec`")) missed.push("a known command");
  if (check({}, entries).length !== Object.keys(entries).length) missed.push("an entry without a document");
  return missed.map((title) => `the check of commands is wrong about ${title}`);
}

const names = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md"];
const docs = readdirSync(path.join(ROOT, "docs"), { recursive: true }).filter((name) => name.endsWith(".md"));
const documents = [...names, ...docs.map((name) => path.join("docs", name))];
const texts = Object.fromEntries(documents.map((name) => [name, readFileSync(path.join(ROOT, name), "utf8")]));
const problems = [...proveCheck(), ...check(texts, COMMANDS)];
if (problems.length === 0 && process.argv.includes("--run")) problems.push(...(await runAll()));
for (const problem of problems) console.error(problem);
console.log(`commands: ${Object.keys(COMMANDS).length} in ${documents.length} documents, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
