// The second try: each failed test runs once more, alone, after all stages. A test that passes then is flaky, not failed.

/** More flaky tests than this fail the run. */
export const MAX_FLAKY = 3;
/** With more failures than this, nothing is retried: something is broken, not flaky. */
export const MAX_SECOND_TRIES = 10;

const PERMISSION_FILES = /(^|\/)(permission|access)\/|(^|\/|\.)(rights|visible|escalation|gift)\./;
const PROPERTY_IMPORTS =
  /from "(fast-check|@fast-check\/vitest|[^"]*\/(chance|fuzz|forest\.testing)\.ts)"|\b(rounds|seedOf)\b[^}]*\} from "[^"]*\/rounds\.testing\.ts"/;
const PERMISSION_ROW = /\bPE-\d\d\b/;
/** The server decides permissions. A browser test only shows them, and may be slow. */
const IN_A_BROWSER = new Set(["console", "e2e"]);

/**
 * Whether a failure is never retried: permission tests, tests with random input, and failures without a file (checks,
 * crash campaigns, errors outside any test). If a file failed as a whole, one permission test in it is enough.
 */
export function isNeverFlaky({ project, file, names, title }, readSource) {
  if (file === null) return true;
  const source = readSource(file);
  if (PROPERTY_IMPORTS.test(source)) return true;
  if (IN_A_BROWSER.has(project)) return false;
  return PERMISSION_FILES.test(file) || PERMISSION_ROW.test(names === null ? source : title);
}

/** Divides failures into { flaky, failed }. `again(failure)` runs one alone and resolves to whether it passed. */
export async function trySecondTime(failures, again, isFinal) {
  const verdict = { flaky: [], failed: [] };
  const isBroken = failures.length > MAX_SECOND_TRIES;
  for (const failure of failures) {
    const passes = !isBroken && !isFinal(failure) && (await again(failure));
    (passes ? verdict.flaky : verdict.failed).push(failure);
  }
  return verdict;
}

/** A regular expression for one test of a file. Vitest joins the names with " > " or a space, depending on the version. */
export function patternOf(names) {
  const literal = (text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return `^${names.map(literal).join("(?: > | )")}$`;
}
