// Finds accessibility and layout problems of the displayed page.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { waitUntilAtRest } from "./rest.ts";
import { isFullRun } from "./whole.ts";

const source = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** What axe does not look at: in `npm test` the rows of a table after the fourth, which are built like those before. */
const skipped = isFullRun ? [] : ["tbody > tr:nth-child(n + 5)"];

const standards = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/**
 * Reports each problem in one line, with the start of the elements' HTML. By default, it checks only standards. "everything" adds
 * axe's best practices, and a list selects rules. axe is injected only once per page, because that takes longer than a check. It
 * is not injected into frames, because pages have none.
 */
export async function findPageFaults(
  page: Page,
  look: "standards" | "everything" | string[] = "standards",
): Promise<string[]> {
  await waitUntilAtRest(page);
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(source);
  const runOnly = look === "standards" ? { type: "tag", values: standards } : { type: "rule", values: look };
  // For speed, skips passed rules and external style sheets.
  const options = {
    ...(look === "everything" ? {} : { runOnly }),
    resultTypes: ["violations"],
    preload: false,
    selectors: false,
  };
  const violations = await page.evaluate<
    string[]
  >(`axe.run({ include: [document], exclude: ${JSON.stringify(skipped)} }, ${JSON.stringify(options)}).then((result) =>
    result.violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 200)).join(" ")))`);
  const sideways = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
  return sideways > 0 ? [...violations, `scrolls sideways by ${sideways} px`] : violations;
}
