// Runs the tests affected by a change since a commit (HEAD by default): unit tests in the folders of the changed files, and
// browser journeys about the nouns that these folders belong to. `npm test` runs everything.

import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { checkNode, install, pinnedNode, ROOT, run } from "../start.mjs";

const BIN = path.join(ROOT, "node_modules", ".bin");
const env = { ...process.env, PATH: `${BIN}${path.delimiter}${process.env.PATH ?? ""}` };
const WORKSPACES = ["contract", "server", "simulator", "console", "e2e", "bench"];

/** Paths of changed and untracked files, relative to the root. */
function changedFiles(since) {
  const git = (...args) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n").filter(Boolean);
  return [...git("diff", "--name-only", since), ...git("ls-files", "--others", "--exclude-standard")];
}

/** Folders whose tests cover a file. A contract file is also covered by the server folder of the same noun. */
function foldersOf(file) {
  const [workspace, src, noun] = file.split("/");
  if (src !== "src") return [];
  // A file directly in `src` is covered only by the tests that have its name.
  if (noun.includes(".")) return [file.replace(/\..*$/, "")];
  const own = path.dirname(file).replace(/\/migrations$/, "");
  return workspace === "contract" ? [own, `server/src/${noun}`] : [own];
}

/** Whether the file name of a journey belongs to a noun. For `sensor`, sensors.e2e.ts and sensor-list.e2e.ts do. */
function isAbout(journey, noun) {
  const [name] = journey.split(".");
  return name === noun || name === `${noun}s` || name.startsWith(`${noun}-`);
}

function journeysOf(files) {
  const all = readdirSync(path.join(ROOT, "e2e")).filter((name) => name.endsWith(".e2e.ts"));
  const nouns = new Set(
    files.filter((file) => /^(console|server|contract)\/src\/[^/]+\//.test(file)).map((file) => file.split("/")[2]),
  );
  const edited = files.filter((file) => file.startsWith("e2e/")).map((file) => path.basename(file));
  return all.filter((name) => edited.includes(name) || [...nouns].some((noun) => isAbout(name, noun)));
}

async function main() {
  checkNode();
  await install();
  const files = changedFiles(process.argv[2] ?? "HEAD");
  const folders = [...new Set(files.flatMap(foldersOf))];
  const screens = folders.filter((folder) => folder.startsWith("console/"));
  const journeys = journeysOf(files).map((name) => `/${name.replaceAll(".", "\\.")}`);
  const failed = [];
  const step = async (title, program, args) => {
    const startedAt = Date.now();
    console.log(`\n=== ${title} ===`);
    if ((await run(program, args, { env })) !== 0) failed.push(title);
    console.log(`${title}: ${Math.round((Date.now() - startedAt) / 1000)} s`);
  };
  const stage = (name, more) =>
    step(`${name}: ${more.filter((one) => !one.startsWith("--")).join(", ")}`, pinnedNode(), [
      "test.mjs",
      "--only",
      name,
      ...more,
    ]);

  for (const workspace of WORKSPACES.filter((one) => files.some((file) => file.startsWith(`${one}/`))))
    await step(`types of ${workspace}`, path.join(BIN, "tsc"), ["-p", workspace]);
  if (folders.length > 0) await stage("unit", [...folders, "--passWithNoTests"]);
  if (screens.length > 0) await stage("console", [...screens, "--passWithNoTests"]);
  if (journeys.length > 0) await stage("e2e", journeys);
  console.log(failed.length === 0 ? "\nEverything that the change touches passed" : `\nFailed: ${failed.join("; ")}`);
  return failed.length === 0 ? 0 : 1;
}

process.exit(await main());
