// Reports import cycles between folders, upward imports, flat folders, files without a role, SQL outside stores, and lines of
// code.
// Usage: node .ci/structure.mjs [--edges] [folder of a checkout]

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

const flags = process.argv.slice(2).filter((word) => word.startsWith("--"));
const ROOT = path.resolve(process.argv.slice(2).find((word) => !word.startsWith("--")) ?? ".");
const files = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).split("\n").filter(Boolean);
const isProduct = (file) =>
  /^(contract|server|console|simulator)\/src\/.*\.tsx?$/.test(file) &&
  !/\.(test|testing)\.tsx?$|\/testing\//.test(file);
const product = files.filter(isProduct);
const text = new Map(product.map((file) => [file, readFileSync(path.join(ROOT, file), "utf8")]));
const linesOf = (file) => text.get(file).split("\n").length - 1;

function importsOf(file) {
  const found = [...text.get(file).matchAll(/(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g)].map(([, to]) =>
    path.posix.join(path.posix.dirname(file), to),
  );
  return found.filter((to) => text.has(to));
}

/** The folder directly below src, or the file itself if it is not in one. */
const roomOf = (file) => {
  const [workspace, , ...rest] = file.split("/");
  return rest.length > 1 ? `${workspace}/${rest[0]}` : file;
};

function arrowsOf(workspace) {
  const arrows = new Map();
  for (const file of product.filter((one) => one.startsWith(`${workspace}/`)))
    for (const to of importsOf(file)) {
      const [a, b] = [roomOf(file), roomOf(to)];
      if (a === b) continue;
      const key = `${a} → ${b}`;
      arrows.set(key, [...(arrows.get(key) ?? []), `${path.basename(file)} → ${path.basename(to)}`]);
    }
  return arrows;
}

/** Import cycles: strongly connected components of more than one folder (Tarjan's algorithm). */
function knotsOf(arrows) {
  const next = new Map();
  for (const key of arrows.keys()) {
    const [a, b] = key.split(" → ");
    next.set(a, [...(next.get(a) ?? []), b]);
  }
  const index = new Map();
  const low = new Map();
  const stack = [];
  const knots = [];
  const visit = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    for (const to of next.get(node) ?? []) {
      if (!index.has(to)) visit(to);
      if (stack.includes(to)) low.set(node, Math.min(low.get(node), low.get(to)));
    }
    if (low.get(node) !== index.get(node)) return;
    const knot = stack.splice(stack.indexOf(node));
    if (knot.length > 1) knots.push(knot);
  };
  for (const node of next.keys()) if (!index.has(node)) visit(node);
  return knots;
}

/**
 * A small set of imports whose removal makes the graph acyclic. Repeatedly removes the folder pair with the fewest imports in a
 * cycle.
 */
function backArrows(arrows) {
  const left = new Map(arrows);
  const back = [];
  for (;;) {
    const [knot] = knotsOf(left);
    if (!knot) return back;
    const inside = [...left].filter(([key]) => key.split(" → ").every((room) => knot.includes(room)));
    const [lightest] = inside.toSorted(([, a], [, b]) => a.length - b.length);
    back.push(lightest);
    left.delete(lightest[0]);
  }
}

const parts = new Set([
  "kit",
  "db",
  "jobs",
  "mail",
  "http",
  "live",
  "mqtt",
  "open",
  "process",
  "owned",
  "device",
  "tunnel",
  "proxy",
]);
const roles =
  /\.(routes|service|store|wire|live|reasons|tables|job|rules|rights|noun|capability|guard|hook|adapter|seed)\.ts$/;
const serverNouns = product.filter((file) => /^server\/src\/[^/]+\//.test(file) && !parts.has(file.split("/")[2]));
const withoutRole = serverNouns.filter((file) => !roles.test(file));
const hasSql = (file) => /\bsql(<[^>]*>+)?`|\.(selectFrom|insertInto|updateTable|deleteFrom)\(/.test(text.get(file));
const servicesWithSql = product.filter((file) => file.endsWith(".service.ts") && hasSql(file));
const sqlOutside = product.filter((file) => hasSql(file) && !/\.(store|seed)\.ts$|^server\/src\/db\//.test(file));
const flat = Map.groupBy(product, (file) => path.posix.dirname(file));
const largest = [...flat].map(([folder, list]) => [folder, list.length]).toSorted(([, a], [, b]) => b - a);
const sum = (list) => list.reduce((n, file) => n + linesOf(file), 0);

for (const workspace of ["server", "console"]) {
  const arrows = arrowsOf(workspace);
  const folders = new Map([...arrows].filter(([key]) => key.split(" → ").every((room) => !/\.tsx?$/.test(room))));
  const knots = knotsOf(folders);
  const back = backArrows(arrows);
  console.log(`${workspace}: folders in one knot: ${Math.max(0, ...knots.map((knot) => knot.length))}`);
  console.log(`${workspace}: arrows ${arrows.size}, back up ${back.length}`);
  for (const [key, list] of back) console.log(`    ${key}  (${list.join(", ")})`);
  if (flags.includes("--edges"))
    for (const [key, list] of [...arrows].toSorted(([a], [b]) => a.localeCompare(b)))
      console.log(`    ${key}  ${list.length}: ${list.join(", ")}`);
  const loose = product.filter((file) => new RegExp(`^${workspace}/src/[^/]+$`).test(file));
  console.log(`${workspace}: loose files ${loose.length}`);
}
console.log(
  `server: noun files without a role ${withoutRole.length} (${sum(withoutRole)} lines of ${sum(serverNouns)})`,
);
console.log(
  `server: services with SQL ${servicesWithSql.length}: ${servicesWithSql.map((one) => path.basename(one)).join(" ")}`,
);
console.log(`server: files with SQL outside stores and db ${sqlOutside.length}`);
console.log(
  `largest flat folders: ${largest
    .filter(([, n]) => n > 16)
    .map(([folder, n]) => `${folder} ${n}`)
    .join(", ")}`,
);
const long = product.filter((file) => linesOf(file) > 300).map((file) => `${file} ${linesOf(file)}`);
console.log(`files above 300 lines: ${long.length}: ${long.join(", ")}`);
for (const workspace of ["contract", "server", "console", "simulator"])
  console.log(
    `${workspace}: ${sum(product.filter((file) => file.startsWith(`${workspace}/`)))} lines in ${product.filter((file) => file.startsWith(`${workspace}/`)).length} files`,
  );
console.log(`production lines: ${sum(product)}`);
if (!existsSync(path.join(ROOT, "package.json"))) process.exitCode = 1;
