// Prints all test titles, sorted, one per line, so that two versions can be compared. The titles come from the test runners, so
// each row of `test.each` counts.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "..");
const BIN = path.join(ROOT, "node_modules", ".bin");
const PATH = `${BIN}${path.delimiter}${process.env.PATH ?? ""}`;
const folder = mkdtempSync(path.join(tmpdir(), "psp-titles-"));

/** Runs a program in `node_modules/.bin` and parses the JSON report that it writes to `file`. */
function report(program, args, env, file) {
  const stdio = ["ignore", 2, 2];
  const { status } = spawnSync(path.join(BIN, program), args, {
    cwd: ROOT,
    stdio,
    env: { ...process.env, PATH, ...env },
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Titles such as `server › title`. File names are omitted, so that moving a test makes no difference. */
function unitTitles() {
  const file = path.join(folder, "vitest.json");
  const tests = report("vitest", ["list", `--json=${file}`], {}, file);
  return tests.map(({ projectName, name }) => `${projectName} › ${name}`);
}

function journeyTitles() {
  const file = path.join(folder, "playwright.json");
  const args = ["test", "-c", "e2e/playwright.config.ts", "--list", "--reporter=json"];
  const { suites } = report("playwright", args, { PLAYWRIGHT_JSON_OUTPUT_FILE: file }, file);
  const titlesOf = (suite, above) => [
    ...(suite.specs ?? []).map(({ title }) => ["e2e", ...above, title].join(" › ")),
    ...(suite.suites ?? []).flatMap((inner) => titlesOf(inner, [...above, inner.title])),
  ];
  return suites.flatMap((suite) => titlesOf(suite, []));
}

/** Replaces times, which differ in each run, and collapses whitespace. */
function levelled(title) {
  return title.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>").replaceAll(/\s+/g, " ");
}

try {
  const titles = [...unitTitles(), ...journeyTitles()];
  console.log(
    titles
      .map(levelled)
      .toSorted((a, b) => a.localeCompare(b))
      .join("\n"),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
