// Proves that the linter's rules bite: one offense against each is written to a scratch folder and linted.

import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const SEEDS = {
  "no-explicit-any": "export const x = (a: any): void => void a;",
  "ban-ts-comment": `// @ts-${"ignore"}\nexport const y: number = "1";`,
  "no-floating-promises": "export function f(p: Promise<void>): void {\n  p;\n}",
  "no-misused-promises": "export function g(p: Promise<boolean>): number {\n  if (p) return 1;\n  return 2;\n}",
  "switch-exhaustiveness-check":
    'export function h(k: "a" | "b"): number {\n  switch (k) {\n    case "a":\n      return 1;\n  }\n  return 2;\n}',
  "no-non-null-assertion": "export const z = (a: string | null): string => a!;",
  "consistent-type-imports": 'import { URL } from "node:url";\nexport const u = (a: URL): string => String(a);',
  "no-cycle": 'import { b } from "./ring.ts";\nexport const a = (): number => b() + 1;',
  "max-lines-per-function": `export function l(n: number): number {\n${"  n += 1;\n".repeat(98)}  return n;\n}`,
  eqeqeq: "export const e = (a: number): boolean => a == 1;",
};
const RING = 'import { a } from "./no-cycle.ts";\nexport const b = (): number => a() + 1;\n';

/** Returns the rules that let their offense pass. */
export function proveLint(root) {
  const folder = path.join(root, ".ci", "seeded");
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const [rule, text] of Object.entries(SEEDS)) writeFileSync(path.join(folder, `${rule}.ts`), `${text}\n`);
    writeFileSync(path.join(folder, "ring.ts"), RING);
    const config = { extends: "../../tsconfig.base.json", compilerOptions: { types: ["node"] }, include: ["."] };
    writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
    const oxlint = path.join(root, "node_modules", ".bin", "oxlint");
    const result = spawnSync(oxlint, ["--type-aware", "--format", "json", ".ci/seeded"], {
      cwd: root,
      encoding: "utf8",
    });
    const found = JSON.parse(result.stdout).diagnostics.map(
      ({ code, filename }) => `${path.basename(filename)} ${code}`,
    );
    const missed = Object.keys(SEEDS).filter(
      (rule) => !found.some((one) => one.startsWith(`${rule}.ts `) && one.includes(`(${rule})`)),
    );
    return {
      failures: missed.map((rule) => `the linter's rule "${rule}" does not see its seeded offense`),
      count: Object.keys(SEEDS).length,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
