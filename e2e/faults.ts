// What is wrong with the page that is shown: what axe finds, and what scrolls sideways.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { atRest } from "./rest.ts";

const source = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

const standards = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/**
 * One line per fault, with the start of the elements' HTML. Looks for what the standards demand; "everything" adds what
 * axe recommends, and a list names the only rules. The page gets axe once and keeps it: bringing it costs more than a
 * look. There are no frames to go through.
 */
export async function faultsOf(
  page: Page,
  look: "standards" | "everything" | string[] = "standards",
): Promise<string[]> {
  await atRest(page);
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(source);
  const runOnly = look === "standards" ? { type: "tag", values: standards } : { type: "rule", values: look };
  // What passes need not be gathered, and the pages have no style sheets of others to fetch.
  const options = {
    ...(look === "everything" ? {} : { runOnly }),
    resultTypes: ["violations"],
    preload: false,
    selectors: false,
  };
  const violations = await page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then((result) =>
    result.violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 200)).join(" ")))`);
  const sideways = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
  return sideways > 0 ? [...violations, `scrolls sideways by ${sideways} px`] : violations;
}
