// Checks citations of rules, requirements, threats and decisions, and rejects references to documents outside the repository.
// First proves with seeded lines that it finds each kind of error.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "..");
const TEXT = /\.(ts|tsx|mjs|css|sql|md|tsv)$/;
/** Markdown files, without the console's legal texts, which define their own anchors. */
const DOCUMENTS = /^(?!console\/).*\.md$/;
const OUTSIDE =
  /\b(?:spec|specification|decisions?) (?:\d|§)|(?<!docs\/)\bthreats\.md\b|\b(?:performance|look|models|users|english|house|house-\d|device-pages|quality-goals|dependencies)\.md\b|\b(?:device-pages|checklist) \d/;

/** The anchor that GitHub generates for a heading. */
const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

function anchorsOf(text) {
  const headings = text.replaceAll(/^```.*?^```/gms, "").matchAll(/^#{1,6} +(.+)$/gm);
  return new Set([...headings].map(([, heading]) => anchorOf(heading)));
}

/** Returns the wrong citations in a file. `known` contains the anchors of each document, and all threat and decision ids. */
function faultsOf(file, text, known) {
  const faults = [];
  const check = (target, line) => {
    const [document, anchor] = target.split("#");
    const anchors = known.anchors.get(document);
    if (anchors === undefined) faults.push(`${file}:${line} cites ${document}, which is not there`);
    else if (anchor && !anchors.has(anchor)) faults.push(`${file}:${line} cites ${target}, which is no heading`);
  };
  text.split("\n").forEach((content, at) => {
    const line = at + 1;
    for (const [target] of content.matchAll(/\bdocs\/[\w/-]+\.md(?:#[\p{L}\p{N}_-]+)?/gu)) check(target, line);
    if (DOCUMENTS.test(file))
      for (const [, target] of content.matchAll(
        /\]\(((?!https?:|\/)[\w./-]*\.md(?:#[\p{L}\p{N}_-]+)?|#[\p{L}\p{N}_-]+)\)/gu,
      ))
        check(target.startsWith("#") ? file + target : path.posix.join(path.posix.dirname(file), target), line);
    if (OUTSIDE.test(content)) faults.push(`${file}:${line} cites a document outside this tree: ${content.trim()}`);
    for (const [id] of content.matchAll(/\bT-\d{2}\b/g))
      if (!known.threats.has(id)) faults.push(`${file}:${line} names ${id}, which docs/threats.md has not`);
    for (const [, number] of content.matchAll(/\bADR (\d{4})\b/g))
      if (!known.decisions.has(number)) faults.push(`${file}:${line} names ADR ${number}, which is not there`);
  });
  return faults;
}

/** Returns an error for each requirement row that cites no existing heading of a rule. */
function faultsOfRows(text, known) {
  const [head = "", ...rows] = text.split("\n").filter((line) => line !== "");
  const at = head.split("\t").indexOf("rule");
  if (at === -1) return ["docs/requirements.tsv has no column `rule`"];
  return rows.flatMap((row) => {
    const [document = "", anchor = ""] = (row.split("\t")[at] ?? "").split("#");
    const has = known.anchors.get(`docs/rules/${document}`)?.has(anchor);
    return has
      ? []
      : [`docs/requirements.tsv: ${row.split("\t")[0]} leads to ${document}#${anchor}, which is no heading`];
  });
}

function readTree() {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const files = listed.split("\0").filter((file) => TEXT.test(file) && existsSync(path.join(ROOT, file)));
  return new Map(files.map((file) => [file, readFileSync(path.join(ROOT, file), "utf8")]));
}

function knownOf(tree) {
  const documents = [...tree].filter(([file]) => DOCUMENTS.test(file));
  const threats = tree.get("docs/threats.md") ?? "";
  const decisions = readdirSync(path.join(ROOT, "docs", "decisions")).map((name) => name.slice(0, 4));
  return {
    anchors: new Map(documents.map(([file, text]) => [file, anchorsOf(text)])),
    threats: new Set(threats.match(/\bT-\d{2}\b/g)),
    decisions: new Set(decisions),
  };
}

/** Lines with a wrong citation, one per kind of error, and lines with valid ones. */
const SEEDS = {
  wrong: [
    ["a.ts", "// As docs/rules/none.md says"],
    ["a.ts", "// (docs/rules/counts.md#none)"],
    ["docs/a.md", "See [counts](rules/counts.md#none)."],
    ["docs/a.md", "See [above](#none)."],
    ["a.ts", `// ${"spec"} 2 §4`],
    ["a.ts", `// ${"decisions"} 13`],
    ["a.ts", "test('T-98 a threat that no file lists', () => {});"],
    ["a.ts", "// ADR 9998"],
  ],
  right: [
    ["a.ts", "// (docs/rules/counts.md#completeness, SE-06, T-01, ADR 0001)"],
    [
      "docs/a.md",
      "# Above\n[counts](rules/counts.md#completeness), [above](#above), [web](https://example.com/x.md#none)",
    ],
    ["a.ts", "// 3 decisions later, per § 5 of a law"],
  ],
};

function missedSeeds() {
  const known = {
    anchors: new Map([
      ["docs/rules/counts.md", new Set(["completeness"])],
      ["docs/a.md", new Set(["above"])],
    ]),
    threats: new Set(["T-01"]),
    decisions: new Set(["0001"]),
  };
  return [
    ...SEEDS.wrong
      .filter(([file, text]) => faultsOf(file, text, known).length !== 1)
      .map(([, text]) => `passed: ${text}`),
    ...SEEDS.right.flatMap(([file, text]) => faultsOf(file, text, known).map((fault) => `refused: ${fault}`)),
    ...(faultsOfRows("id\trule\nSE-01\tcounts.md#none", known).length === 1 ? [] : ["passed: a row without its rule"]),
    ...faultsOfRows("id\trule\nSE-01\tcounts.md#completeness", known),
  ];
}

const tree = readTree();
const known = knownOf(tree);
const faults = [
  ...missedSeeds().map((seed) => `.ci/citations.mjs itself, ${seed}`),
  ...[...tree].filter(([file]) => file !== ".ci/citations.mjs").flatMap(([file, text]) => faultsOf(file, text, known)),
  ...faultsOfRows(tree.get("docs/requirements.tsv") ?? "", known),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
