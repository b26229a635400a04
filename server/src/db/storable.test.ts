// Tests that only storable strings reach PostgreSQL, and that a single function creates all jsonb values.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toJsonb, toJsonbOrNull } from "./storable.ts";

test.each<[unknown, unknown]>([
  [{ a: "x\0y" }, { a: "x\uFFFDy" }],
  [{ "k\0": 1 }, { "k\uFFFD": 1 }],
  [
    ["\uD800", "\uDC00\uD800", "😀"],
    ["\uFFFD", "\uFFFD\uFFFD", "😀"],
  ],
  // A literal backslash does not start an escape.
  [String.raw`\u0000 \\u0000 \ud800`, String.raw`\u0000 \\u0000 \ud800`],
  ['"\\', '"\\'],
  [undefined, null],
  [null, null],
])("toJsonb of %j reads as %j", (value, read) => {
  expect(JSON.parse(toJsonb(value))).toEqual(read);
  expect(toJsonbOrNull(value)).toBe(read === null ? null : toJsonb(value));
});

/** Columns of type jsonb that services and seeds fill by name. */
const columns = "address|applications|changes|flows|legal|manifest|monitoring_config|permissions|reply|settings";

test("only storable.ts creates jsonb", () => {
  const folder = join(import.meta.dirname, "..");
  const own = new RegExp(String.raw`JSON\.stringify\(.*::jsonb|\b(?:${columns}): .*JSON\.stringify`);
  const makers = globSync("**/*.ts", { cwd: folder })
    .filter((name) => !/\.test\.ts$|testing|^db\/storable/.test(name))
    .filter((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      // The rollup store uses JSON.stringify only in messages about wrong sums.
      const isMaker = name.endsWith(".store.ts") && !name.startsWith("count/rollup");
      return own.test(text) || (isMaker && text.includes("JSON.stringify("));
    });
  expect(makers).toEqual([]);
});
