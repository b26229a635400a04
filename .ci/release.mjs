// Creates a release from the newest section of CHANGELOG.md: checks it, sets the version, writes notes and SBOM (CycloneDX),
// commits and tags. Pushes nothing.
// Usage: npm run release [-- --dry-run]. A dry run leaves no commit, tag or changed file.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT, run, UserError } from "../start.mjs";

const OUT = path.join(ROOT, ".cache", "release");
const CHART = "deploy/helm/Chart.yaml";
const isDryRun = process.argv.includes("--dry-run");

const fileOf = (name) => path.join(ROOT, name);
const readJson = (name) => JSON.parse(readFileSync(fileOf(name), "utf8"));
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** Runs a program and returns its output; throws UserError with its error message if it fails. */
function output(program, ...args) {
  const options = { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 27, shell: process.platform === "win32" };
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  if (status !== 0) throw new UserError(`${program} ${args[0]} has failed: ${error?.message ?? stderr.trim()}`);
  return stdout.trim();
}

/** Version and notes of the first section, which must have a version and a date in its heading. */
function newestSection(changelog) {
  const [first = ""] = changelog.split(/^(?=## )/m).slice(1);
  const [, version, notes] = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}\n(.*)$/s.exec(first) ?? [];
  if (version === undefined)
    throw new UserError("The newest section of CHANGELOG.md is no release: it must read `## [1.2.3] - 2026-12-31`");
  if (notes.trim() === "") throw new UserError(`CHANGELOG.md says nothing about ${version}`);
  return { version, notes: `${notes.trim()}\n` };
}

/** Throws UserError if the version is lower than the one in package.json, or already tagged. */
function checkVersion(version, present, tags) {
  const isNewer = version.localeCompare(present, "en", { numeric: true }) >= 0;
  if (!isNewer) throw new UserError(`${version} is older than the present version ${present}`);
  if (tags.includes(`v${version}`))
    throw new UserError(`v${version} is tagged already: CHANGELOG.md needs a newer section`);
}

/** Sets the version of all workspaces, in package.json files and in the lockfile, and that of the Helm chart; returns the changed files. */
function setVersion(version) {
  const root = readJson("package.json");
  const lock = readJson("package-lock.json");
  const manifests = ["package.json", ...root.workspaces.map((name) => `${name}/package.json`)];
  const names = manifests.map((file) => readJson(file).name);
  const update = (manifest) => {
    manifest.version = version;
    for (const kind of ["dependencies", "devDependencies"])
      for (const name of names) if (manifest[kind]?.[name] !== undefined) manifest[kind][name] = version;
  };
  for (const file of manifests) {
    const manifest = readJson(file);
    update(manifest);
    writeJson(fileOf(file), manifest);
  }
  lock.version = version;
  for (const place of ["", ...root.workspaces]) update(lock.packages[place]);
  writeJson(fileOf("package-lock.json"), lock);
  const chart = readFileSync(fileOf(CHART), "utf8");
  writeFileSync(fileOf(CHART), chart.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`));
  return [...manifests, "package-lock.json", CHART];
}

/** Writes the software bill of materials, based on package-lock.json. */
function writeSbom(file) {
  const bom = JSON.parse(
    output("npm", "sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"),
  );
  // By default, npm uses the name of the folder.
  bom.metadata.component.name = readJson("package.json").name;
  writeJson(file, bom);
}

async function main() {
  if (output("git", "status", "--porcelain") !== "") throw new UserError("There are changes that are not committed");
  const { version, notes } = newestSection(readFileSync(fileOf("CHANGELOG.md"), "utf8"));
  checkVersion(version, readJson("package.json").version, output("git", "tag", "--list").split("\n"));
  const code = await run(process.execPath, [fileOf("test.mjs"), "--only", "check"]);
  if (code !== 0) throw new UserError("npm run check has failed");
  mkdirSync(OUT, { recursive: true });
  const [notesFile, sbomFile] = [`v${version}.md`, `v${version}.cdx.json`].map((name) => path.join(OUT, name));
  const files = setVersion(version);
  try {
    writeFileSync(notesFile, notes);
    writeSbom(sbomFile);
  } catch (error) {
    output("git", "restore", ...files);
    throw error;
  }
  console.log(`Wrote ${path.relative(ROOT, notesFile)} and ${path.relative(ROOT, sbomFile)}`);
  if (isDryRun) {
    output("git", "restore", ...files);
    console.log(`Dry run: v${version} is neither committed nor tagged`);
    return;
  }
  // package.json may already have the version, so there may be nothing to commit.
  if (output("git", "status", "--porcelain") !== "")
    output("git", "commit", "--quiet", "--all", `--message=chore: release ${version}`);
  output("git", "tag", "--annotate", "--cleanup=whitespace", `--file=${notesFile}`, `v${version}`);
  console.log(`Tagged v${version}. Publish it with: git push --follow-tags`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof UserError ? error.message : error);
  process.exitCode = 1;
}
