// Plants failing tests in a scratch clone and checks what `test.mjs` reports about them. Part of `npm run prove`.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "..");
const scratch = mkdtempSync(path.join(tmpdir(), "psp-planted-"));
const tree = path.join(scratch, "tree");

const failsOnce = (name) => `
  const mark = ${JSON.stringify(path.join(scratch, name))};
  if (!existsSync(mark)) {
    writeFileSync(mark, "");
    throw new Error("planted");
  }`;
const IMPORTS = 'import { existsSync, writeFileSync } from "node:fs";\n';
const VITEST = `${IMPORTS}import { beforeAll, describe, test } from "vitest";\n`;
const flaky = (title) => `test(${JSON.stringify(title)}, () => {${failsOnce(title)}});\n`;

const CASES = [
  {
    title: "a test that fails once is flaky and named",
    source: `${VITEST}describe("a (suite)", () => {\n${flaky("one [odd] title?")}});\ntest("whole", () => {});\n`,
    code: 0,
    end: ["flaky: 1", "  contract/src/planted.test.ts › a (suite) › one [odd] title?", "", "2 passed, 0 failed"],
  },
  {
    title: "a test that fails twice is red",
    source: `${VITEST}test("always", () => {\n  throw new Error("planted");\n});\ntest("whole", () => {});\n`,
    code: 1,
    end: ["", "1 passed, 1 failed"],
  },
  {
    title: "four flaky tests are red",
    source: VITEST + ["a", "b", "c", "d"].map((name) => flaky(`four ${name}`)).join(""),
    code: 1,
    end: [
      "flaky: 4, which is more than 3: they count as failed",
      ..."abcd".split("").map((name) => `  contract/src/planted.test.ts › four ${name}`),
      "",
      "0 passed, 4 failed",
    ],
  },
  {
    title: "a property test is never flaky",
    source: `${VITEST}import fc from "fast-check";\ntest("property", () => {\n  fc.assert(fc.property(fc.nat(), () => {${failsOnce("property")}}), { seed: 1 });\n});\n`,
    code: 1,
    end: ["", "0 passed, 1 failed"],
  },
  {
    title: "a test of a permission row is never flaky",
    source: VITEST + flaky("PE-01 planted"),
    code: 1,
    end: ["", "0 passed, 1 failed"],
  },
  {
    title: "a file with a permission row is red when its set-up fails once",
    source: `${VITEST}beforeAll(() => {${failsOnce("PE set-up")}});\ntest("PE-01 planted", () => {});\n`,
    code: 1,
    end: ["", "0 passed, 1 failed"],
  },
  {
    title: "after eleven failures nothing is tried again",
    source: VITEST + Array.from({ length: 11 }, (_, n) => flaky(`eleven ${n}`)).join(""),
    code: 1,
    end: ["", "No second try: more than 10 failures.", "", "0 passed, 11 failed"],
  },
  {
    title: "a file whose set-up fails once is run again as a whole",
    source: `${VITEST}beforeAll(() => {${failsOnce("set-up")}});\ntest("first", () => {});\ntest("second", () => {});\n`,
    code: 0,
    end: ["flaky: 1", "  contract/src/planted.test.ts › (whole file)", "", "2 passed, 0 failed"],
  },
  {
    title: "a failed hook: its journey is flaky, and so are the journeys it kept from starting",
    stage: "e2e",
    file: "e2e/planted.e2e.ts",
    source: `${IMPORTS}import { test } from "@playwright/test";\ntest.beforeAll(() => {${failsOnce("hook")}});\ntest("first step", () => {});\ntest("second", () => {});\n`,
    code: 0,
    end: ["flaky: 2", "  e2e/planted.e2e.ts › first step", "  e2e/planted.e2e.ts › second", "", "2 passed, 0 failed"],
  },
];

function prepare() {
  const cloned = spawnSync("git", ["clone", "--quiet", "--depth", "1", `file://${ROOT}`, tree], { stdio: "inherit" });
  if (cloned.status !== 0) throw new Error("git clone failed");
  symlinkSync(path.join(ROOT, "node_modules"), path.join(tree, "node_modules"));
  // The planted journeys open no page, so a console that is already built suffices.
  for (const built of [path.join(".cache", "console-build"), path.join("console", "dist")]) {
    if (!existsSync(path.join(ROOT, built))) continue;
    mkdirSync(path.dirname(path.join(tree, built)), { recursive: true });
    cpSync(path.join(ROOT, built), path.join(tree, built), { recursive: true });
  }
}

/** Runs one case; returns a description of the difference, or null. */
function play({ stage = "unit", file = "contract/src/planted.test.ts", source, code, end }) {
  writeFileSync(path.join(tree, file), source);
  const args = ["test.mjs", "--only", stage, file];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: tree, encoding: "utf8" });
  rmSync(path.join(tree, file));
  const last = stdout.trimEnd().split("\n").slice(-end.length);
  if (status === code && last.join("\n") === end.join("\n")) return null;
  return `code ${status} instead of ${code}; it ends with\n${stdout.slice(-3000)}\n${stderr.slice(-1000)}`;
}

let failures = 0;
try {
  prepare();
  for (const one of CASES) {
    const problem = play(one);
    if (problem === null) console.log(`ok: ${one.title}`);
    else console.error(`FAILED: ${one.title}: ${problem}`);
    if (problem !== null) failures += 1;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);
