// Prints the requirements that no test title of `npm test` names. Fails if a title names an unknown requirement, or if
// docs/requirements.tsv differs from the list in the argument. With `--prove`, also prints the titles that run only in
// `npm run prove`.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "..");
const LIST = path.join(ROOT, "docs", "requirements.tsv");
/** Optional path of an external list that must equal docs/requirements.tsv. */
const upstream = process.argv.slice(2).find((argument) => argument !== "--prove");
const PLACES = ["contract", "server", "console", "simulator", "e2e"];
/** The first argument of test(…), or of the function that test.each(…) returns. */
const TITLE =
  /(?:\b(?:test|it|describe)\b[\w.]*\(|\)\()\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|`((?:\\.|[^`\\])*)`)/g;

function testFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" || entry.name === "dist" ? [] : testFiles(file);
    return /\.(test\.tsx?|e2e\.ts)$/.test(entry.name) ? [file] : [];
  });
}

const list = readFileSync(LIST, "utf8");
const [head, ...lines] = list.split("\n").filter((line) => line.trim() !== "");
const columns = head.split("\t");
const rows = lines.map((line) => Object.fromEntries(line.split("\t").map((cell, at) => [columns[at], cell])));

/** Test options that exclude a test from `npm test`, so that it runs only in `npm run prove`. */
const LEFT_OUT = /^\s*,\s*\{[^{}]*\btags?: "@?prove"/;

const tests = PLACES.flatMap((place) => testFiles(path.join(ROOT, place))).flatMap((file) => {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(TITLE)].map((match) => ({
    file: path.relative(ROOT, file),
    title: match.slice(1).find((title) => title !== undefined) ?? "",
    isLeftOut: LEFT_OUT.test(text.slice(match.index + match[0].length, match.index + match[0].length + 200)),
  }));
});
const leftOut = tests.filter(({ isLeftOut }) => isLeftOut);
const kept = tests.filter(({ isLeftOut }) => !isLeftOut);
const rowsOf = (title) => title.match(/\b[A-Z]{2}-\d{2}\b/g) ?? [];
const named = new Set(kept.flatMap(({ title }) => rowsOf(title)));

/** Describes how many titles in `npm test` name each requirement of this title, and how many are in its file. */
function staying({ file, title }) {
  const ofRow = (id) => kept.filter((other) => rowsOf(other.title).includes(id)).length;
  const beside = kept.filter((other) => other.file === file).length;
  return [...rowsOf(title).map((id) => `${ofRow(id)} of ${id}`), `${beside} in this file`].join(", ");
}
if (process.argv.includes("--prove"))
  for (const test of leftOut) console.log(`${test.file}\t${test.title}\t${staying(test)}`);
const open = rows.filter(({ id }) => !named.has(id));

for (const { id, system, ...row } of open) console.log(`${id}\t${system}\t${row["what must work"]}`);
console.log(
  `${rows.length} rows, ${rows.length - open.length} named in ${kept.length} test titles, ${open.length} not; ${leftOut.length} titles more in prove`,
);

const known = new Set(rows.map(({ id }) => id));
const prefixes = new Set(rows.map(({ id }) => id.slice(0, 2)));
const unknown = [...named].filter((id) => prefixes.has(id.slice(0, 2)) && !known.has(id));
if (unknown.length > 0) {
  console.error(`Test titles name rows that do not exist: ${unknown.join(", ")}`);
  process.exitCode = 1;
}
/** The external list has no rule column. */
const withoutRules = (text) => text.replaceAll(/^([^\t\n]*\t[^\t\n]*\t[^\t\n]*)\t.*$/gm, "$1");
if (upstream !== undefined && withoutRules(readFileSync(upstream, "utf8")) !== withoutRules(list)) {
  console.error(`docs/requirements.tsv differs from ${upstream}`);
  process.exitCode = 1;
}
