// Checks that package-lock.json is complete: npm omits optional platform packages that its registry lacks, and then `npm ci`
// rejects the file. With `--complete`, adds the missing entries, without checksums because none are known.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const FILE = path.resolve(import.meta.dirname, "..", "package-lock.json");
const SYSTEMS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const PROCESSORS = ["arm64", "arm", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "x64", "wasm32"];

/** The path from which the package at `place` would load `name`, or null if it isn't installed. */
function placeOf(packages, place, name) {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const candidate = `${at === "" ? "" : `${at}/`}node_modules/${name}`;
    if (candidate in packages) return candidate;
    if (at === "") return null;
  }
}

function missingFrom(packages) {
  return Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => placeOf(packages, place, name) === null)
      .map(([name, version]) => ({ name, version, dev: packages[place].dev === true })),
  );
}

/** Derives operating system and processor from the package's name. Throws if the name doesn't contain both. */
function entryOf({ name, version, dev }) {
  const words = name.split(/[-/]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  if (os.length !== 1 || cpu.length !== 1 || !/^\d+\.\d+\.\d+/.test(version)) {
    throw new Error(`${name}@${version} is missing from package-lock.json and cannot be added by its name`);
  }
  return { version, cpu, ...(dev ? { dev } : {}), optional: true, os };
}

const lock = JSON.parse(readFileSync(FILE, "utf8"));
const missing = missingFrom(lock.packages);
if (missing.length > 0 && process.argv.includes("--complete")) {
  for (const one of missing) lock.packages[`node_modules/${one.name}`] = entryOf(one);
  const places = Object.keys(lock.packages).sort((a, b) => (a < b ? -1 : 1));
  lock.packages = Object.fromEntries(places.map((place) => [place, lock.packages[place]]));
  writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`package-lock.json: added ${missing.length} platform packages`);
} else if (missing.length > 0) {
  console.error(`package-lock.json lacks ${missing.length} platform packages, so npm ci refuses it: npm run lock`);
  for (const { name, version } of missing) console.error(`  ${name}@${version}`);
  process.exit(1);
} else {
  console.log("package-lock.json is whole");
}
