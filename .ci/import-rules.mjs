// Checks imports between folders, and the names and sizes of folders. The order of folders comes from ARCHITECTURE.md. First
// proves with a seeded violation that each rule works.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { SEEDS } from "./import-rules.seeds.mjs";
import { proveLint } from "./lint-seeds.mjs";

const ROOT = path.resolve(import.meta.dirname, "..");
const PLACES = ["contract", "server", "console", "simulator", "e2e", "bench", ".ci"];
const SKIPPED = new Set(["node_modules", "dist", "data", "__screenshots__"]);
const ATTIC = new Set(["utils", "util", "helpers", "common", "shared", "types", "constants", "lib", "misc"]);
const MAX_FILES = 16;
/** Roles (file name suffixes) that files of a server noun may have. */
const SERVER_ROLES = new Set(
  "routes service store wire live reasons tables job rules rights noun capability guard hook adapter seed".split(" "),
);
/** Roles that other nouns may import. */
const OFFERED = new Set(["service", "rights", "reasons", "rules", "tables"]);
/** Nouns that share the tables of counts and opening hours. Each noun may read the tables of the nouns listed before it. */
const COUNTING = ["opening", "count", "counts", "datapoint"];
/** Maps nouns of the console to the nouns whose pages they extend, and from which they may import anything. */
const CONSOLE_BASES = {
  sensor: ["claim", "remote-access", "vehicle"],
  vpn: ["sensor"],
  rollout: ["sensor"],
  preview: ["sensor", "remote-access"],
  section: ["sensor", "remote-access", "preview"],
  account: ["invitation", "registration", "report", "customer"],
  report: ["registration"],
};
/** Folders that wire all nouns together. */
const ASSEMBLIES = new Set(["process", "app"]);

/**
 * Reads the order of folders in ARCHITECTURE.md. Per workspace, returns the layer number of each room, and the folders that are
 * not nouns.
 */
function readOrder(text) {
  const [, block] = /## Who may import whom\n.*?\n```\n(.*?)```/s.exec(text);
  return Object.fromEntries(
    block.split(/\n(?=\w)/).map((lines) => {
      const [workspace] = lines.split(" ");
      const layersOf = (part) => part.split("→").map((layer) => layer.match(/[\w.-]+/g) ?? []);
      const all = layersOf(lines.slice(workspace.length)).filter((layer) => layer.length > 0);
      const layers = new Map(all.flatMap((layer, at) => layer.map((room) => [room, at])));
      return [workspace, { layers, mechanism: new Set(layersOf(lines.split("\n")[0]).flat().slice(1)) }];
    }),
  );
}
const ORDER = readOrder(readFileSync(path.join(ROOT, "ARCHITECTURE.md"), "utf8"));

/**
 * `folder` is the folder directly below src. `room` is that folder, or the file name of a file directly in src. `role` is the
 * suffix of the name.
 */
function kindOf(file) {
  const [workspace, ...rest] = file.split("/");
  const inSource = rest[0] === "src" ? rest.slice(1) : rest;
  const name = inSource.at(-1) ?? "";
  const folder = inSource.length > 1 ? inSource[0] : "";
  const isTest = /\.(test|testing|e2e)\.tsx?$/.test(name) || folder === "testing";
  const role = /\.([a-z]+)\.tsx?$/.exec(name.replace(/\.(test|testing)(?=\.tsx?$)/, ""))?.[1] ?? "";
  const isOrdered = rest[0] === "src" && workspace in ORDER && !isTest && /\.tsx?$/.test(name);
  return { workspace, folder, name, isTest, role, room: isOrdered ? folder || name : null };
}

const isNoun = ({ workspace, folder }) =>
  ["contract", "server", "console"].includes(workspace) &&
  folder !== "" &&
  folder !== "testing" &&
  !ASSEMBLIES.has(folder) &&
  !ORDER[workspace].mechanism.has(folder);
const isOtherNoun = (from, to) => isNoun(from) && isNoun(to) && from.folder !== to.folder;
const layerOf = ({ workspace, room }) => ORDER[workspace].layers.get(room);
const isProduct = ({ workspace, isTest }) => workspace in ORDER && !isTest;
const isFastify = (pack) => /^@?fastify(\/|$)/.test(pack);

/**
 * `of` tells whether a rule applies to the importing file, and `broken` whether an import violates it. `to` is an imported file
 * of this repository, `pack` the name of a package.
 */
const IMPORT_RULES = {
  "contract is pure": {
    of: (from) => from.workspace === "contract" && !from.isTest,
    broken: (_, { to, pack }) => (to ? to.workspace !== "contract" : pack !== "zod"),
  },
  "of another noun the contract imports the schema only": {
    of: (from) => from.workspace === "contract",
    broken: (from, { to }) => to?.workspace === "contract" && isOtherNoun(from, to) && to.role !== "",
  },
  "server stays on the server": {
    of: (from) => from.workspace === "server",
    broken: (_, { to, pack }) =>
      to ? !["server", "contract"].includes(to.workspace) : /^(react|@mui|vite)(\/|$|-)/.test(pack),
  },
  "routes call their own service": {
    of: (from) => from.workspace === "server" && from.role === "routes" && !from.isTest,
    broken: (from, { to, pack }) =>
      ["pg", "kysely"].includes(pack) ||
      (to?.workspace === "server" && (to.folder === "db" || to.role === "store" || isOtherNoun(from, to))),
  },
  "services know no HTTP": {
    of: (from) => from.workspace === "server" && from.role === "service" && !from.isTest,
    broken: (_, { to, pack }) => isFastify(pack) || (to?.workspace === "server" && to.folder === "http"),
  },
  "another noun is asked through its service": {
    of: (from) => from.workspace === "server",
    broken: (from, { to }) =>
      to?.workspace === "server" && isOtherNoun(from, to) && !OFFERED.has(to.role) && !isCountedBelow(from, to),
  },
  "stores know the database only": {
    of: (from) => from.workspace === "server" && from.role === "store" && !from.isTest,
    broken: (_, { to, pack }) =>
      isFastify(pack) ||
      (to?.workspace === "server" && (to.role === "service" || to.folder === "http" || to.name === "bus.ts")),
  },
  "mechanism on the server knows no noun": {
    of: (from) => from.workspace === "server" && ORDER.server.mechanism.has(from.folder),
    broken: (_, { to }) => to?.workspace === "server" && isNoun(to),
  },
  "product code does not import tests' tools": {
    of: isProduct,
    broken: (from, { to, pack }) => to?.isTest || (/^vitest(\/|$)/.test(pack) && !from.name.endsWith(".config.ts")),
  },
  "console stays in the browser": {
    of: (from) => from.workspace === "console" && !from.name.endsWith(".config.ts"),
    broken: (_, { to, pack }) => (to ? !["console", "contract"].includes(to.workspace) : pack.startsWith("node:")),
  },
  "ui knows no product": {
    of: (from) => from.workspace === "console" && from.folder === "ui",
    broken: (_, { to, pack }) =>
      to
        ? isNoun(to) || (to.workspace === "console" && !["", "theme", "ui", "testing"].includes(to.folder))
        : /^@tanstack\/react-(router|query)$/.test(pack),
  },
  "of another noun the console imports its select or link": {
    of: (from) => from.workspace === "console",
    broken: (from, { to }) =>
      to?.workspace === "console" &&
      isOtherNoun(from, to) &&
      !CONSOLE_BASES[from.folder]?.includes(to.folder) &&
      !(from.isTest && to.isTest) &&
      !/(Select|Link)\.tsx$/.test(to.name),
  },
  "simulator is a device": {
    of: (from) => from.workspace === "simulator" && !from.isTest,
    broken: (_, { to, pack }) =>
      to
        ? !["simulator", "contract"].includes(to.workspace)
        : !/^(node:.*|@jsquash\/jpeg\/.*|fast-png|mqtt|ws|zod)$/.test(pack),
  },
  "e2e is an outsider": {
    of: (from) => from.workspace === "e2e",
    broken: (_, { to, file }) => to !== null && to.workspace !== "e2e" && file !== "server/src/db/seed/personas.ts",
  },
  "folders import in the order of ARCHITECTURE.md": {
    of: (from) => from.room !== null,
    broken: (from, { to }) =>
      to?.workspace === from.workspace && to.room !== null && to.room !== from.room && !(layerOf(to) < layerOf(from)),
  },
};

function isCountedBelow(from, to) {
  const at = COUNTING.indexOf(from.folder);
  return at !== -1 && COUNTING.slice(0, from.isTest ? undefined : at).includes(to.folder);
}

/** Each rule returns a description of the violation, or a falsy value. */
const FILE_RULES = {
  "no barrels": ({ file }) => /(^|\/)index\.[a-z]+$/.test(file) && "index",
  "no attic folders": ({ file }) => path.dirname(file).split("/").find(ATTIC.has, ATTIC),
  "a file says what it is for": ({ text }) =>
    !/^(#!.*\n)?(\/\/|\/\*)/.test(text) && "no sentence of purpose at the top",
  "a file of a server noun has a role": ({ kind }) =>
    kind.workspace === "server" &&
    isNoun(kind) &&
    !kind.isTest &&
    !SERVER_ROLES.has(kind.role) &&
    `role "${kind.role}"`,
  "ARCHITECTURE.md lists the folder": ({ kind }) => kind.room !== null && layerOf(kind) === undefined && kind.room,
  // The linter forbids all other ways to read the clock.
  "contract has no clock": ({ kind, code }) =>
    kind.workspace === "contract" && !kind.isTest && /\bnew Date\(\)/.exec(code)?.[0],
};

/** Each rule returns descriptions of the violations in a list of files. */
const TREE_RULES = {
  "at most sixteen files in a folder": (files) => {
    const product = files.filter((file) => /\/src\//.test(file) && isProduct(kindOf(file)));
    return [...Map.groupBy(product, path.posix.dirname)].flatMap(([folder, { length }]) =>
      length > MAX_FILES ? [`${folder}: ${length} files`] : [],
    );
  },
};

const STRINGS_AND_COMMENTS = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const IMPORTS = /\b(?:import|export)\b(?:[^"'`;]*?\bfrom)?\s*\(?\s*["']([^"'\n]+)["']/g;

/** Imports of a file, including type imports, as `{ to, file }` for files of this repository and `{ pack }` for packages. */
function importsOf(file, code) {
  return [...code.matchAll(IMPORTS)].map(([, name]) => {
    if (name.startsWith(".")) return ours(name, path.posix.join(path.posix.dirname(file), name));
    const [, inContract] = /^@psp\/contract\/(.*)/.exec(name) ?? [];
    return inContract ? ours(name, `contract/src/${inContract}`) : { name, pack: name, to: null };
  });
}
const ours = (name, file) => ({ name, pack: "", file, to: kindOf(file) });

function offensesOf(file, text) {
  const code = text.replaceAll(STRINGS_AND_COMMENTS, (_, string) => string ?? " ");
  const kind = kindOf(file);
  const imports = importsOf(file, code);
  return [
    ...Object.entries(IMPORT_RULES).flatMap(([rule, { of, broken }]) =>
      of(kind) ? imports.filter((one) => broken(kind, one)).map(({ name }) => ({ rule, what: name })) : [],
    ),
    ...Object.entries(FILE_RULES).flatMap(([rule, check]) => {
      const what = check({ file, text, code, kind });
      return what ? [{ rule, what }] : [];
    }),
  ];
}

/** Checks that every rule reports its seeded violation and accepts the seeded valid files. */
function proveRules() {
  const breaks = (rule, files) =>
    TREE_RULES[rule]
      ? TREE_RULES[rule](Object.keys(files)).length > 0
      : Object.entries(files).some(([file, text]) => offensesOf(file, text).some((one) => one.rule === rule));
  const isClean = (files) => Object.entries(files).every(([file, text]) => offensesOf(file, text).length === 0);
  const rules = Object.keys({ ...IMPORT_RULES, ...FILE_RULES, ...TREE_RULES });
  const failures = rules.flatMap((rule) => {
    const seed = SEEDS[rule];
    if (seed === undefined) return [`the rule "${rule}" has no seed`];
    if (!breaks(rule, seed.bad)) return [`the rule "${rule}" does not see its seeded offense`];
    return breaks(rule, seed.good) || !isClean(seed.good) ? [`the rule "${rule}" refuses what is allowed`] : [];
  });
  return { failures, count: rules.length };
}

function filesOf(place) {
  if (!existsSync(path.join(ROOT, place))) return [];
  return readdirSync(path.join(ROOT, place), { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const below = `${place}/${entry.name}`;
    if (entry.isDirectory()) return filesOf(below);
    return /\.(ts|tsx|mjs)$/.test(entry.name) ? [below] : [];
  });
}

const proof = proveRules();
const lint = proveLint(ROOT);
const files = PLACES.flatMap(filesOf);
const problems = [
  ...proof.failures,
  ...lint.failures,
  ...files.flatMap((file) =>
    offensesOf(file, readFileSync(path.join(ROOT, file), "utf8")).map(({ rule, what }) => `${file}: ${rule}: ${what}`),
  ),
  ...Object.entries(TREE_RULES).flatMap(([rule, check]) => check(files).map((what) => `${rule}: ${what}`)),
];
for (const problem of problems) console.error(problem);
console.log(
  `import rules: ${files.length} files, ${proof.count} rules and ${lint.count} lint rules proved by seeded offenses, ${problems.length} problems`,
);
process.exit(problems.length === 0 ? 0 : 1);
