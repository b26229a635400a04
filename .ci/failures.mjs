// A reporter for both runners, Vitest and Playwright: keeps what failed and why, so that `npm test` can end with it.

import { appendFileSync } from "node:fs";

/** Lines of one failure: enough for the message and the place, short enough that twenty of them can be read. */
const LINES = 30;
const COLOURS = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, "gu");

function keep(title, errors) {
  const file = process.env.PSP_FAILURES_FILE;
  if (!file) return;
  const text = errors
    .map((error) => error.stack ?? error.message ?? String(error.value ?? error))
    .join("\n")
    .replace(COLOURS, "");
  appendFileSync(file, `${JSON.stringify({ title, text: text.split("\n").slice(0, LINES).join("\n") })}\n`);
}

export default class Failures {
  /** Vitest: every module with its tests, and what was thrown outside of any test. */
  onTestRunEnd(modules, unhandled) {
    for (const module of modules) {
      const file = module.relativeModuleId;
      if (module.errors().length > 0) keep(file, module.errors());
      for (const suite of module.children.allSuites()) {
        if (suite.errors().length > 0) keep(`${file} › ${suite.fullName}`, suite.errors());
      }
      for (const test of module.children.allTests("failed")) {
        keep(`${file} › ${test.fullName}`, test.result().errors ?? []);
      }
    }
    if (unhandled.length > 0) keep("thrown outside of any test", unhandled);
  }

  /** Playwright: one test after the other. */
  onTestEnd(test, result) {
    if (!test.ok()) keep(`${test.location.file} › ${test.title}`, result.errors);
  }

  /** Playwright: what broke outside of any test. */
  onError(error) {
    keep("thrown outside of any test", [error]);
  }

  printsToStdio() {
    return false;
  }
}
