// Tests releases in a scratch clone: what is refused, what a release changes, and that a dry run changes nothing. Part of
// `npm run prove`.

import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { cloneInto } from "./fresh-clone.product.mjs";

const scratch = mkdtempSync(path.join(tmpdir(), "psp-release-"));
const tree = path.join(scratch, "tree");
const fileOf = (name) => path.join(tree, name);
const read = (name) => readFileSync(fileOf(name), "utf8");
const failures = [];

function git(...args) {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: tree, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

function commit(name, text) {
  writeFileSync(fileOf(name), text);
  git("commit", "--quiet", "--all", "--message=test: seed");
}

function release(title, code, says, ...args) {
  const script = [fileOf(".ci/release.mjs"), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, script, { cwd: tree, encoding: "utf8" });
  expect(title, status === code && `${stdout}${stderr}`.includes(says), `code ${status}, ${stdout}${stderr}`);
}

function expect(title, isMet, found) {
  if (isMet) return console.log(`ok: ${title}`);
  failures.push(title);
  console.error(`FAILED: ${title}: ${found}`);
}

const changelog = (heading, text = "- A change.") =>
  `# Changelog\n\n${heading}\n\n${text}\n\n## [0.0.1] - 2026-01-01\n\n- Older.\n`;

try {
  console.log(cloneInto(path.resolve(import.meta.dirname, ".."), tree));
  git("config", "user.name", "Tester");
  git("config", "user.email", "tester@example.com");
  commit("test.mjs", "process.exit(0);\n");
  commit("CHANGELOG.md", changelog("## [Unreleased]"));
  release("an unreleased section is refused", 1, "is no release");
  commit("CHANGELOG.md", changelog("## [0.0.9] - 2026-12-31"));
  release("an older version is refused", 1, "is older");
  commit("CHANGELOG.md", changelog("## [9.9.10] - 2026-12-31", ""));
  release("an empty section is refused", 1, "says nothing about 9.9.10");
  commit("CHANGELOG.md", changelog("## [9.9.10] - 2026-12-31", "### Added\n\n- A change."));
  appendFileSync(fileOf("README.md"), "\n");
  release("a dirty tree is refused", 1, "not committed");
  git("restore", ".");
  commit("test.mjs", "process.exit(1);\n");
  release("a failing check is refused", 1, "npm run check has failed");
  commit("test.mjs", "process.exit(0);\n");

  const before = git("rev-parse", "HEAD");
  release("a dry run succeeds", 0, "Dry run", "--dry-run");
  const isUntouched =
    git("status", "--porcelain") + git("tag", "--list", "v9.9.10") === "" && git("rev-parse", "HEAD") === before;
  expect("a dry run leaves no trace", isUntouched, git("status"));
  expect(
    "its notes are those of the section",
    read(".cache/release/v9.9.10.md") === "### Added\n\n- A change.\n",
    "others",
  );
  rmSync(fileOf(".cache"), { recursive: true });

  release("a release succeeds", 0, "Tagged v9.9.10");
  expect(
    "its commit is tagged with the notes",
    git("tag", "-n9", "--points-at", "HEAD").includes("### Added"),
    git("tag"),
  );
  const versions = ["package.json", "server/package.json", "package-lock.json"].map(
    (file) => JSON.parse(read(file)).version,
  );
  versions.push(
    ...[...read("deploy/helm/Chart.yaml").matchAll(/^(?:version|appVersion): (.*)$/gm)].map(([, one]) => one),
  );
  expect("all versions are set", versions.length === 5 && versions.every((one) => one === "9.9.10"), versions.join());
  const install = spawnSync("npm", ["ci", "--dry-run", "--ignore-scripts", "--offline"], {
    cwd: tree,
    encoding: "utf8",
  });
  expect("the lock file fits", install.status === 0, install.stderr);
  const bom = JSON.parse(read(".cache/release/v9.9.10.cdx.json"));
  const { name, version } = bom.metadata.component;
  const isBom = bom.bomFormat === "CycloneDX" && bom.components.some((one) => one.name === "fastify");
  expect(
    "its SBOM names the product and its packages",
    isBom && `${name} ${version}` === "ps-platform 9.9.10",
    `${name} ${version}`,
  );
  release("the same release is refused", 1, "is tagged already");
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(failures.length === 0 ? 0 : 1);
