// Tests that the privacy policy lists exactly the storage keys that the console writes.
import { expect, test } from "vitest";

const policy = Object.values(
  import.meta.glob<string>("./privacy.md", { query: "?raw", import: "default", eager: true }),
).join("\n");
const sources = import.meta.glob<string>(
  ["../**/*.{ts,tsx}", "!../**/*.test.{ts,tsx}", "!../**/*.testing.{ts,tsx}", "!../testing/**"],
  { query: "?raw", import: "default", eager: true },
);

/** Written by libraries: color scheme (MUI), scroll positions (router). */
const ofLibraries = ["Local storage mui-mode", "Session storage tsr-scroll-restoration-v1_3"];
const kinds: Record<string, string> = { localStorage: "Local storage", sessionStorage: "Session storage" };

/** The storage key of an expression, with `…` for variable parts as in the policy. Throws if it can't be determined. */
function keyOf(source: string, expression: string): string {
  const literal = /^(["'])([\w:-]+)\1$/.exec(expression)?.[2];
  if (literal !== undefined) return literal;
  const template = /^`(.+)`$/.exec(expression)?.[1];
  if (template !== undefined) {
    const [, first, rest = ""] = /^\$\{(\w+)\}(.*)$/.exec(template) ?? [null, null, template];
    return `${first === null || first === undefined ? "" : keyOf(source, first)}${rest.split("${")[0]}…`;
  }
  const name = /^\w+/.exec(expression)?.[0];
  const body = new RegExp(`const ${name} = (?:\\([^)]*\\)(?:: string)? => )?([^;]+);`).exec(source)?.[1];
  if (name === undefined || body === undefined) throw new Error(`No key can be read from ${expression}`);
  return keyOf(source, body);
}

test("LE-01 the policy lists every key that the console writes into a browser's storage, and no others", () => {
  const written = Object.values(sources).flatMap((source) =>
    [...source.matchAll(/\b(localStorage|sessionStorage)\.setItem\(((?:[^,()]|\([^()]*\))+),/g)].map(
      ([, storage = "", expression = ""]) => `${kinds[storage]} ${keyOf(source, expression.trim())}`,
    ),
  );
  expect(written.length).toBeGreaterThan(4);
  const listed = [...policy.matchAll(/^\| (\S+) +\| (Local storage|Session storage) /gm)].map(
    ([, name, kind]) => `${kind} ${name}`,
  );
  expect(new Set([...written, ...ofLibraries])).toEqual(new Set(listed));
});

test("LE-01 the console uses no other store of the browser than those that the policy names", () => {
  const others =
    /\bindexedDB\b|\bcaches\.|\bdocument\.cookie\b|\bcookieStore\b|\bserviceWorker\b|Storage\[|Storage\.\w+ =/;
  for (const [file, source] of Object.entries(sources)) expect(others.exec(source)?.[0] ?? null, file).toBe(null);
});
