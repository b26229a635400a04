// Proves that the lint rules work: lints one violation of each in a temporary folder.

import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const query = 'export const q = (db: Database) => db.selectFrom("sensor").execute();';
/** One violation per file, which is named after the rule. A rule that is limited to a folder is tested in a folder of that name. */
const SEEDS = {
  "no-explicit-any.ts": "export const x = (a: any): void => void a;",
  "ban-ts-comment.ts": `// @ts-${"ignore"}\nexport const y: number = "1";`,
  "no-floating-promises.ts": "export function f(p: Promise<void>): void {\n  p;\n}",
  "no-misused-promises.ts": "export function g(p: Promise<boolean>): number {\n  if (p) return 1;\n  return 2;\n}",
  "switch-exhaustiveness-check.ts":
    'export function h(k: "a" | "b"): number {\n  switch (k) {\n    case "a":\n      return 1;\n  }\n  return 2;\n}',
  "no-non-null-assertion.ts": "export const z = (a: string | null): string => a!;",
  "consistent-type-imports.ts": 'import { URL } from "node:url";\nexport const u = (a: URL): string => String(a);',
  "no-cycle.ts": 'import { b } from "./ring.ts";\nexport const a = (): number => b() + 1;',
  "max-lines.ts": "\n".repeat(300) + "export const m = 1;",
  "max-lines-per-function.ts": `export function l(n: number): number {\n${"  n += 1;\n".repeat(98)}  return n;\n}`,
  "no-default-export.ts": "export default 1;",
  "no-barrel-file.ts": 'export * from "./ring.ts";',
  "eqeqeq.ts": "export const e = (a: number): boolean => a == 1;",
  "contract/src/no-restricted-globals.ts": "export const i = (): string => crypto.randomUUID();",
  "contract/src/no-restricted-properties.ts": "export const d = (): number => Date.now();",
  "server/src/no-restricted-imports.ts": 'import { sql } from "kysely";\nexport const s = sql`select 1`;',
  "server/src/no-restricted-properties.service.ts": query,
};
const RING = 'import { a } from "./no-cycle.ts";\nexport const b = (): number => a() + 1;\n';
/** Code that these rules must allow. */
const GOOD = { "server/src/allowed.store.ts": query, "allowed.test.ts": SEEDS["max-lines.ts"] };

export function proveLint(root) {
  const folder = path.join(root, ".ci", "seeded");
  try {
    rmSync(folder, { recursive: true, force: true });
    for (const [file, text] of Object.entries({ ...SEEDS, ...GOOD, "ring.ts": RING })) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), `${text}\n`);
    }
    const config = { extends: "../../tsconfig.base.json", compilerOptions: { types: ["node"] }, include: ["."] };
    writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
    const oxlint = path.join(root, "node_modules", ".bin", "oxlint");
    const result = spawnSync(oxlint, ["--type-aware", "--format", "json", ".ci/seeded"], {
      cwd: root,
      encoding: "utf8",
    });
    const found = JSON.parse(result.stdout).diagnostics.map(({ code, filename }) => ({
      file: path.posix.relative(".ci/seeded", filename.replaceAll("\\", "/")),
      rule: /\((.*)\)/.exec(code)?.[1],
    }));
    const ruleOf = (file) => path.basename(file).split(".")[0];
    const missed = Object.keys(SEEDS).filter(
      (file) => !found.some((one) => one.file === file && one.rule === ruleOf(file)),
    );
    const refused = found.filter(({ file }) => file in GOOD);
    return {
      failures: [
        ...missed.map((file) => `the linter's rule "${ruleOf(file)}" does not see its seeded offense (${file})`),
        ...refused.map(({ file, rule }) => `the linter's rule "${rule}" refuses what is allowed (${file})`),
      ],
      count: Object.keys(SEEDS).length,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
