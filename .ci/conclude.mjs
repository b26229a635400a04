// Prints the last lines of `node test.mjs`: failures, duration of the stages, and flaky tests.

import { MAX_FLAKY, MAX_SECOND_TRIES } from "./second-try.mjs";

/** Returns the numbers of passed and failed tests. `times` contains pairs of stage and milliseconds. */
export function conclude({ flaky, failed }, times, passed) {
  if (failed.length + flaky.length > 0) console.log("\n=== what failed ===");
  for (const { title, text } of [...failed, ...flaky]) console.log(`\n-- ${title}\n${text}`);
  console.log("\n=== times ===");
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
