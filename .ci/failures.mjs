// Reporter for Vitest and Playwright that records each failure with its message and the data needed to rerun the test.

import { appendFileSync } from "node:fs";
import path from "node:path";

/** Maximum lines per failure: enough for message and location, but few enough to read twenty failures. */
const LINES = 30;
const COLORS = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, "gu");

/**
 * Appends one line of JSON to the file in PSP_FAILURES_FILE. `names` are the titles from the outermost suite to the test, or null
 * if the whole file failed. `file` is relative to the root, or null for errors outside any file. `passed` is the number of passed
 * tests in a file that failed as a whole: a second try of the file counts them again, so the runner subtracts them first.
 */
function record({ runner, project = null, file = null, names = null, passed = 0, errors }) {
  const target = process.env.PSP_FAILURES_FILE;
  if (!target) return;
  const text = errors
    .map((error) => error.stack ?? error.message ?? String(error.value ?? error))
    .join("\n")
    .replace(COLORS, "")
    .split("\n")
    .slice(0, LINES)
    .join("\n");
  const title = file === null ? "error outside of any test" : [file, ...(names ?? ["(whole file)"])].join(" › ");
  appendFileSync(target, `${JSON.stringify({ runner, project, file, names, title, passed, text })}\n`);
}

function namesOf(test) {
  return test.parent.type === "module" ? [test.name] : [...namesOf(test.parent), test.name];
}

/** Whether a test was not started because a hook failed. Tests that are skipped on purpose have an annotation. */
function wasLeftOut(test) {
  if (test.expectedStatus === "skipped") return false;
  const isAnnotated = [test, ...test.results].some(({ annotations }) =>
    annotations.some(({ type }) => type === "skip" || type === "fixme"),
  );
  return !isAnnotated && test.results.every(({ status }) => status === "skipped");
}

export default class Failures {
  #suite = null;

  /** Called by Vitest. An error outside tests, such as in a hook, counts as a failure of the whole file. */
  onTestRunEnd(modules, unhandled) {
    for (const module of modules) {
      const at = { runner: "vitest", project: module.project.name, file: module.relativeModuleId };
      const suites = [...module.children.allSuites()];
      const outside = [module, ...suites].flatMap((one) => one.errors());
      if (outside.length > 0) {
        record({ ...at, passed: [...module.children.allTests("passed")].length, errors: outside });
        continue;
      }
      for (const test of module.children.allTests("failed")) {
        record({ ...at, names: namesOf(test), errors: test.result().errors ?? [] });
      }
    }
    if (unhandled.length > 0) record({ runner: "vitest", errors: unhandled });
  }

  onBegin(_config, suite) {
    this.#suite = suite;
  }

  /** Called by Playwright. Tests that were not started because a hook failed count as failed. */
  onEnd() {
    for (const test of this.#suite?.allTests() ?? []) {
      const isLeftOut = wasLeftOut(test);
      if (test.ok() && !isLeftOut) continue;
      const file = path.relative("", test.location.file).replaceAll(path.sep, "/");
      const errors = isLeftOut ? [new Error("It was not run.")] : test.results.flatMap((result) => result.errors);
      record({ runner: "playwright", project: "e2e", file, names: test.titlePath().slice(3), errors });
    }
  }

  /** Called by Playwright for errors outside any test. */
  onError(error) {
    record({ runner: "playwright", errors: [error] });
  }

  printsToStdio() {
    return false;
  }
}
