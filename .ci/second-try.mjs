// Reruns failed tests once, each alone, after all stages. A test that passes on its rerun is flaky, not failed.

/** Maximum flaky tests in a run that passes. */
export const MAX_FLAKY = 3;
/** With more failures than this, no test is rerun, because something is broken rather than flaky. */
export const MAX_SECOND_TRIES = 10;

const PERMISSION_FILES = /(^|\/)(permission|access)\/|(^|\/|\.)(rights|visible|escalation|gift)\./;
const PROPERTY_IMPORTS =
  /from "(fast-check|@fast-check\/vitest|[^"]*\/(chance|fuzz|forest\.testing)\.ts)"|\b(rounds|seedOf)\b[^}]*\} from "[^"]*\/rounds\.testing\.ts"/;
const PERMISSION_ROW = /\bPE-\d\d\b/;
/**
 * Projects whose permission tests may be rerun. Their tests run in a browser, which can be slow, and check only what is
 * displayed: the server enforces permissions.
 */
const IN_A_BROWSER = new Set(["console", "e2e"]);

/**
 * Whether a failure must never be rerun: permission tests, tests with random input, and failures without a file, such as checks
 * and crash campaigns. A file that failed as a whole counts as a permission test if any of its tests is one.
 */
export function isNeverRetried({ project, file, names, title }, readSource) {
  if (file === null) return true;
  const source = readSource(file);
  if (PROPERTY_IMPORTS.test(source)) return true;
  if (IN_A_BROWSER.has(project)) return false;
  return PERMISSION_FILES.test(file) || PERMISSION_ROW.test(names === null ? source : title);
}

/** Divides failures into { flaky, failed }. `again(failure)` reruns one test and resolves to whether it passed. */
export async function retryFailures(failures, again, isFinal) {
  const verdict = { flaky: [], failed: [] };
  const isBroken = failures.length > MAX_SECOND_TRIES;
  for (const failure of failures) {
    const passes = !isBroken && !isFinal(failure) && (await again(failure));
    (passes ? verdict.flaky : verdict.failed).push(failure);
  }
  return verdict;
}

/** A regular expression that matches only this test. Vitest joins the names with " > " or a space, depending on its version. */
export function toTestPattern(names) {
  const literal = (text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return `^${names.map(literal).join("(?: > | )")}$`;
}
