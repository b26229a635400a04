// Checks the borders between folders: who may import whom, and what no file may hold.
// Before it looks at the tree it is fed one offense against every rule, and fails if a rule lets it pass.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { SEEDS } from "./import-rules.seeds.mjs";
import { proveLint } from "./lint-seeds.mjs";

const ROOT = path.resolve(import.meta.dirname, "..");
const PLACES = ["contract", "server", "console", "simulator", "e2e", "bench", ".ci"];
const SKIPPED = new Set(["node_modules", "dist", "data", "__screenshots__"]);
const ATTIC = new Set(["utils", "util", "helpers", "common", "shared", "types", "constants", "lib", "misc"]);
const LONGEST = 500;
/** Files whose tool asks for a default export. */
const DEFAULT_EXPORTED = /(\.config\.ts|^e2e\/server\.ts|^\.ci\/failures\.mjs)$/;

const SERVER_PARTS = new Set("kit db jobs mail http live mqtt open owned device tunnel proxy".split(" "));
/** What a file of a server noun can be. */
const SERVER_ROLES = new Set(
  "routes service store wire live reasons tables job rules rights noun capability guard hook adapter seed".split(" "),
);
/** Where SQL may be: stores, what says who may see, whole worlds of the demo. */
const SQL_ROLES = new Set(["store", "rights", "seed"]);
const SQL = /\bsql(<[^>`]*>)?`|\.(selectFrom|insertInto|updateTable|deleteFrom)\(/;
/** Storage of counts, queries over them, the data service: each reads the tables of those before it. */
const COUNTING = ["count", "counts", "datapoint"];
const countsBelow = ({ folder, isTest }) => {
  const at = COUNTING.indexOf(folder);
  return at === -1 ? [] : COUNTING.slice(0, isTest ? undefined : at);
};
const MOST_FLAT = 16;
const CONSOLE_PARTS = new Set([
  "app",
  "address",
  "api",
  "session",
  "password",
  "entity",
  "counts",
  "monitoring",
  "history",
  "access",
  "set-up",
  "ui",
  "theme",
  "testing",
]);
const CONTRACT_PARTS = new Set(["permission", "kit"]);

/** The rooms of the console from the ground up; all nouns lie between `set-up` and `app`. */
const CONSOLE_FLOORS = [
  "theme",
  "ui",
  "address",
  "api",
  "session",
  "password",
  "entity",
  "counts",
  "monitoring",
  "history",
  "access",
  "set-up",
  "noun",
  "app",
];

/** Nouns of the console that add to the pages of another one: they import from it what they need. */
const CONSOLE_BASES = {
  sensor: ["remote-access"],
  vpn: ["sensor"],
  rollout: ["sensor"],
  preview: ["sensor", "remote-access"],
  section: ["sensor", "remote-access", "preview"],
  account: ["registration", "report"],
  report: ["registration"],
};

/** The level of a file of the console: what it is configured with lies below all rooms, what starts it above them. */
function floorOf(file) {
  if (file.folder === "") return file.name === "config.ts" ? -1 : CONSOLE_FLOORS.length;
  return CONSOLE_FLOORS.indexOf(isNoun(file) ? "noun" : file.folder);
}

/** What a file is: workspace, folder below src (the noun, or a part without noun), and its role by suffix. */
function kindOf(file) {
  const [workspace, ...rest] = file.split("/");
  const inSource = rest[0] === "src" ? rest.slice(1) : rest;
  const name = inSource.at(-1) ?? "";
  const folder = inSource.length > 1 ? inSource[0] : "";
  const isTest = /\.(test|testing|e2e)\.tsx?$/.test(name) || folder === "testing";
  const role = /\.([a-z]+)\.tsx?$/.exec(name.replace(/\.(test|testing)(?=\.tsx?$)/, ""))?.[1] ?? "";
  return { workspace, folder, name, isTest, role };
}

const isNoun = ({ workspace, folder }) => {
  if (folder === "" || folder === "testing") return false;
  // Assembles the product of all nouns.
  if (workspace === "server" && folder === "process") return false;
  if (workspace === "server") return !SERVER_PARTS.has(folder);
  if (workspace === "contract") return !CONTRACT_PARTS.has(folder);
  if (workspace === "console") return !CONSOLE_PARTS.has(folder);
  return false;
};

/** Each: name, whether it concerns the file, whether the import (a file of ours, or a package) breaks it. */
const IMPORT_RULES = [
  {
    name: "contract is pure",
    of: (from) => from.workspace === "contract" && !from.isTest,
    broken: (_, { to, pack }) => (to ? to.workspace !== "contract" : pack !== "zod"),
  },
  {
    name: "permission and kit know no noun",
    of: (from) => from.workspace === "contract" && CONTRACT_PARTS.has(from.folder) && !from.isTest,
    broken: (from, { to }) =>
      to?.workspace === "contract" && (isNoun(to) || (from.folder === "kit" && to.folder === "permission")),
  },
  {
    name: "of another noun the contract imports the schema only",
    of: (from) => from.workspace === "contract" && isNoun(from),
    broken: (from, { to }) => to?.workspace === "contract" && isNoun(to) && to.folder !== from.folder && to.role !== "",
  },
  {
    name: "server stays on the server",
    of: (from) => from.workspace === "server",
    broken: (_, { to, pack }) =>
      (to !== null && !["server", "contract"].includes(to.workspace)) || /^(react|@mui|vite)(\/|$|-)/.test(pack ?? ""),
  },
  {
    name: "routes call their own service",
    of: (from) => from.workspace === "server" && from.role === "routes" && !from.isTest,
    broken: (from, { to, pack }) =>
      ["pg", "kysely"].includes(pack ?? "") ||
      (to?.workspace === "server" &&
        (to.folder === "db" || to.role === "store" || (isNoun(to) && to.folder !== from.folder))),
  },
  {
    name: "services know no HTTP",
    of: (from) => from.workspace === "server" && from.role === "service" && !from.isTest,
    broken: (_, { to, pack }) =>
      /^@?fastify(\/|$)/.test(pack ?? "") || (to?.workspace === "server" && to.folder === "http"),
  },
  {
    name: "another noun is asked through its service",
    of: (from) => from.workspace === "server" && isNoun(from),
    broken: (from, { to }) =>
      to?.workspace === "server" &&
      isNoun(to) &&
      to.folder !== from.folder &&
      !ASKED.has(to.role) &&
      !countsBelow(from).includes(to.folder),
  },
  {
    name: "stores know the database only",
    of: (from) => from.workspace === "server" && from.role === "store" && !from.isTest,
    broken: (_, { to, pack }) =>
      /^@?fastify(\/|$)/.test(pack ?? "") ||
      (to?.workspace === "server" && (to.role === "service" || to.folder === "http" || to.name === "bus.ts")),
  },
  {
    name: "mechanism on the server knows no noun",
    of: (from) => from.workspace === "server" && SERVER_PARTS.has(from.folder),
    broken: (_, { to }) => to?.workspace === "server" && isNoun(to),
  },
  {
    name: "product code does not import tests' tools",
    of: (from) => !from.isTest && ["server", "console", "contract", "simulator"].includes(from.workspace),
    broken: (from, { to, pack }) =>
      (to?.isTest ?? false) || (/^vitest(\/|$)/.test(pack ?? "") && !from.name.endsWith(".config.ts")),
  },
  {
    name: "console stays in the browser",
    of: (from) => from.workspace === "console" && !from.name.endsWith(".config.ts"),
    broken: (_, { to, pack }) =>
      (to !== null && !["console", "contract"].includes(to.workspace)) || (pack ?? "").startsWith("node:"),
  },
  {
    name: "ui knows no product",
    of: (from) => from.workspace === "console" && from.folder === "ui",
    broken: (_, { to, pack }) =>
      /^@tanstack\/react-(router|query)$/.test(pack ?? "") ||
      (to !== null &&
        (isNoun(to) ||
          (to.workspace === "console" &&
            [
              "address",
              "api",
              "session",
              "password",
              "entity",
              "counts",
              "monitoring",
              "history",
              "access",
              "app",
            ].includes(to.folder)))),
  },
  {
    name: "of another noun the console imports its select or link",
    of: (from) => from.workspace === "console" && isNoun(from),
    broken: (from, { to }) =>
      to?.workspace === "console" &&
      isNoun(to) &&
      to.folder !== from.folder &&
      !(CONSOLE_BASES[from.folder]?.includes(to.folder) ?? false) &&
      !(from.isTest && to.isTest) &&
      !/(Select|Link)\.tsx$/.test(to.name),
  },
  {
    name: "the console's rooms import downwards only",
    of: (from) => from.workspace === "console" && !from.isTest,
    broken: (from, { to }) =>
      to?.workspace === "console" && !to.isTest && /\.tsx?$/.test(to.name) && floorOf(to) > floorOf(from),
  },
  {
    name: "simulator is a device",
    of: (from) => from.workspace === "simulator" && !from.isTest,
    broken: (_, { to, pack }) =>
      to
        ? !["simulator", "contract"].includes(to.workspace)
        : !/^(node:.*|@jsquash\/jpeg\/.*|fast-png|mqtt|ws|zod)$/.test(pack),
  },
  {
    name: "e2e is an outsider",
    of: (from) => from.workspace === "e2e",
    broken: (_, { to, file }) => to !== null && to.workspace !== "e2e" && file !== "server/src/db/seed/personas.ts",
  },
];

/**
 * What a noun offers to others: use cases, its rights as SQL, why it refuses, pure rules, the types of its rows. Questions
 * about counts (`datapoint/`) read what the room `count/` stores.
 */
const ASKED = new Set(["service", "rights", "reasons", "rules", "tables"]);

const IMPURE =
  /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bcrypto\.|\bperformance\.now\b|\bTemporal\.Now\b|\bfetch\(|\bprocess\./;

/** Each: name, and what is wrong with the file, or null. */
const TEXT_RULES = [
  {
    name: "no barrels",
    check: ({ file, bare: code }) =>
      /(^|\/)index\.[a-z]+$/.test(file) || /\bexport\s*\*/.test(code) ? "a barrel" : null,
  },
  {
    name: "no default exports",
    check: ({ file, bare: code }) =>
      /\bexport\s+default\b/.test(code) && !DEFAULT_EXPORTED.test(file) ? "a default export" : null,
  },
  {
    name: "no attic folders",
    check: ({ file }) =>
      file
        .split("/")
        .slice(0, -1)
        .find((part) => ATTIC.has(part)) ?? null,
  },
  { name: "no file above 500 lines", check: ({ lines }) => (lines > LONGEST ? `${lines} lines` : null) },
  {
    name: "a file says what it is for",
    check: ({ text }) => (/^(#!.*\n)?(\/\/|\/\*)/.test(text) ? null : "no sentence of purpose at the top"),
  },
  {
    name: "the compiler is not silenced",
    check: ({ text }) => /@ts-(ignore|nocheck)\b/.exec(text.replaceAll(/(["'`]).*?\1/g, ""))?.[0] ?? null,
  },
  {
    name: "a file of a server noun has a role",
    check: ({ file }) => {
      const kind = kindOf(file);
      return kind.workspace === "server" && isNoun(kind) && !kind.isTest && !SERVER_ROLES.has(kind.role)
        ? `role "${kind.role}"`
        : null;
    },
  },
  {
    name: "SQL stands in stores",
    check: ({ file, code }) => {
      const kind = kindOf(file);
      const isFree = kind.workspace !== "server" || kind.isTest || kind.folder === "db" || SQL_ROLES.has(kind.role);
      return isFree ? null : (SQL.exec(code)?.[0] ?? null);
    },
  },
  {
    name: "contract has no clock, chance or network",
    check: ({ file, bare }) => {
      const kind = kindOf(file);
      return kind.workspace === "contract" && !kind.isTest ? (IMPURE.exec(bare)?.[0] ?? null) : null;
    },
  },
];

const STRINGS_AND_COMMENTS = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const IMPORTS = /\b(import|export)\b(\s+type\b)?(?:[^"'`;]*?\bfrom)?\s*\(?\s*["']([^"'\n]+)["']/g;

/** All imports of a file: `{ to, file }` for a file of ours, `{ pack }` for a package. */
function importsOf(file, code) {
  return [...code.matchAll(IMPORTS)].map(([, , type, name]) => {
    const target = name.startsWith("@psp/contract/")
      ? `contract/src/${name.slice("@psp/contract/".length)}`
      : name.startsWith(".")
        ? path.posix.join(path.posix.dirname(file), name)
        : null;
    const isType = type !== undefined;
    return target === null
      ? { name, pack: name, to: null, isType }
      : { name, file: target, to: kindOf(target), isType };
  });
}

/** Every offense of one file as `{ rule, what }`. */
function offensesOf(file, text) {
  const code = text.replaceAll(STRINGS_AND_COMMENTS, (_, string) => string ?? " ");
  const bare = code.replaceAll(STRINGS_AND_COMMENTS, '""');
  const from = kindOf(file);
  const found = [];
  for (const { name, of, broken } of IMPORT_RULES) {
    if (!of(from)) continue;
    for (const one of importsOf(file, code)) if (broken(from, one)) found.push({ rule: name, what: one.name });
  }
  const facts = { file, text, code, bare, lines: text.split("\n").length - 1 };
  for (const { name, check } of TEXT_RULES) {
    const what = check(facts);
    if (what !== null) found.push({ rule: name, what });
  }
  return found;
}

/** The first ring of run-time imports, as a list of files, or null. `sources` maps file to text. */
function findCycle(sources) {
  const next = new Map();
  for (const [file, text] of sources) {
    const code = text.replaceAll(STRINGS_AND_COMMENTS, (_, string) => string ?? " ");
    next.set(
      file,
      importsOf(file, code).flatMap((one) => (one.file && !one.isType ? [one.file] : [])),
    );
  }
  const done = new Set();
  const path_ = [];
  const visit = (file) => {
    if (path_.includes(file)) return [...path_.slice(path_.indexOf(file)), file];
    if (done.has(file)) return null;
    path_.push(file);
    for (const other of next.get(file) ?? []) {
      const ring = visit(other);
      if (ring !== null) return ring;
    }
    path_.pop();
    done.add(file);
    return null;
  };
  for (const file of next.keys()) {
    const ring = visit(file);
    if (ring !== null) return ring;
  }
  return null;
}

/** The rooms of a workspace that reach each other in a ring, as "a, b", or null. `sources` maps file to text. */
function findRoomRing(sources, workspace) {
  const next = new Map();
  for (const [file, text] of sources) {
    const from = kindOf(file);
    if (from.workspace !== workspace || from.isTest || from.folder === "") continue;
    const code = text.replaceAll(STRINGS_AND_COMMENTS, (_, string) => string ?? " ");
    const rooms = importsOf(file, code).flatMap(({ to }) =>
      to?.workspace === workspace && to.folder !== "" && !to.isTest && to.folder !== from.folder ? [to.folder] : [],
    );
    next.set(from.folder, new Set([...(next.get(from.folder) ?? []), ...rooms]));
  }
  const reached = (room, seen = new Set()) => {
    for (const other of next.get(room) ?? [])
      if (!seen.has(other)) {
        seen.add(other);
        reached(other, seen);
      }
    return seen;
  };
  const ring = [...next.keys()].filter((room) => reached(room).has(room));
  return ring.length === 0 ? null : ring.join(", ");
}

/** Folders of product code with more files than one can look over, as "folder: n". */
function crowdedFolders(files) {
  const counts = new Map();
  for (const file of files) {
    if (kindOf(file).isTest || !/^(contract|server|console|simulator)\/src\//.test(file)) continue;
    const folder = path.posix.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].flatMap(([folder, n]) => (n > MOST_FLAT ? [`${folder}: ${n} files`] : []));
}

/** Rules about the whole tree: name, and what breaks it, from a list of [file, text]. */
const TREE_RULES = [
  { name: "no cycles", broken: (sources) => [findCycle(new Map(sources))?.join(" -> ") ?? []].flat() },
  {
    name: "folders import one way",
    broken: (sources) =>
      ["contract", "server", "console", "simulator"].flatMap((workspace) => findRoomRing(sources, workspace) ?? []),
  },
  { name: "at most sixteen files in a folder", broken: (sources) => crowdedFolders(sources.map(([file]) => file)) },
];

/** Every rule must find its own seeded offense and accept the seeded good neighbor. */
function proveRules() {
  const failures = [];
  for (const { rule, file, text, good } of SEEDS) {
    const ofTree = TREE_RULES.find(({ name }) => name === rule);
    const bites = ofTree ? ofTree.broken(text).length > 0 : offensesOf(file, text).some((one) => one.rule === rule);
    const lets = ofTree ? ofTree.broken(good).length === 0 : offensesOf(good.file ?? file, good.text).length === 0;
    if (!bites) failures.push(`the rule "${rule}" does not see its seeded offense`);
    if (!lets) failures.push(`the rule "${rule}" refuses what is allowed`);
  }
  const rules = [...IMPORT_RULES, ...TEXT_RULES, ...TREE_RULES].map(({ name }) => name);
  for (const rule of rules)
    if (!SEEDS.some((seed) => seed.rule === rule)) failures.push(`the rule "${rule}" has no seed`);
  return { failures, count: rules.length };
}

function sourcesOf(place) {
  const folder = path.join(ROOT, place);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const below = `${place}/${entry.name}`;
    if (entry.isDirectory()) return sourcesOf(below);
    return /\.(ts|tsx|mjs)$/.test(entry.name) ? [[below, readFileSync(path.join(ROOT, below), "utf8")]] : [];
  });
}

const proof = proveRules();
const lint = proveLint(ROOT);
const sources = PLACES.flatMap(sourcesOf);
const problems = sources.flatMap(([file, text]) =>
  offensesOf(file, text).map(({ rule, what }) => `${file}: ${rule}: ${what}`),
);
for (const { name, broken } of TREE_RULES) problems.push(...broken(sources).map((what) => `${name}: ${what}`));
const all = [...proof.failures, ...lint.failures, ...problems];
for (const problem of all) console.error(problem);
console.log(
  `import rules: ${sources.length} files, ${proof.count} rules and ${lint.count} lint rules proved by seeded offenses, ${all.length} problems`,
);
process.exit(all.length === 0 ? 0 : 1);
