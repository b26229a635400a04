// Tests the input rule and the error codes of invalid fields (docs/rules/api.md#input-rule).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toInputError, safeName, safeText } from "./safe-text.ts";
import { hasForbiddenCharacters } from "./text-bounds.ts";
import { rounds, seedOf } from "./rounds.testing.ts";
import { anyCharacter } from "./any-character.testing.ts";

function faultIn(schema: z.ZodType, value: unknown): { code: number; field: string } | null {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return null;
  const { code, field } = toInputError(result.error);
  return { code, field };
}

describe("the input rule", () => {
  test.each([..."<>[]{}"])("ER-03 %s is refused with code 400 wherever it stands in a text", (bracket) => {
    const schema = z.strictObject({ city: safeText(40) });
    for (const text of [bracket, `${bracket}Ulm`, `Ulm${bracket}`, `U${bracket}lm`, ` ${bracket} `]) {
      expect(hasForbiddenCharacters(text)).toBe(true);
      expect(faultIn(schema, { city: text })).toEqual({ code: 400, field: "city" });
    }
  });

  test("ER-03 texts without special characters pass as they were typed, trimmed", () => {
    for (const text of [
      "O'Brien",
      "Bad Homburg v. d. Höhe",
      "a & b",
      'say "hi"',
      "50 % (net)",
      "東京",
      "a\\b/c",
      "👩‍👧",
      "x=y;z",
    ]) {
      expect(hasForbiddenCharacters(text), text).toBe(false);
      expect(safeText(40).parse(`  ${text} `)).toBe(text);
    }
  });

  test("an accent that was typed as a character of its own is part of its letter, and counts as such", () => {
    expect(safeText(4).parse("Cafe\u0301")).toBe("Caf\u00e9");
  });

  test.each<[string, string]>([
    ["a null", "a\u0000b"],
    ["a line break", "a\nb"],
    ["a tab", "a\tb"],
    ["an escape", "\u001b[31m"],
    ["delete", "a\u007fb"],
    ["a C1 control", "a\u0085b"],
    ["a line separator", "a\u2028b"],
    ["half a surrogate pair", "a\ud83d"],
  ])("%s is refused like a bracket", (_title, text) => {
    expect(faultIn(safeText(40), text)?.code).toBe(400);
  });

  test("ER-03 no text with one of the six brackets gets through, whatever surrounds it", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom(..."<>[]{}"),
        fc.string({ unit: anyCharacter }),
        (a, bracket, b) => {
          expect(safeText(10_000).safeParse(a + bracket + b).success).toBe(false);
        },
      ),
      { seed: seedOf(400), numRuns: rounds(50, 1000) },
    );
  });
});

describe("lengths and names", () => {
  test("a text may be as long as it says, not longer, blanks around it not counted", () => {
    expect(safeText(5).parse(" 12345 ")).toBe("12345");
    expect(faultIn(safeText(5), "123456")?.code).toBe(102);
    expect(safeText(5).parse("")).toBe("");
  });

  test("a name is required: empty, blank and absent ones get 108", () => {
    const schema = z.strictObject({ name: safeName(10) });
    expect(schema.parse({ name: " Hall " })).toEqual({ name: "Hall" });
    for (const value of [{ name: "" }, { name: "   " }, {}])
      expect(faultIn(schema, value)).toEqual({ code: 108, field: "name" });
    expect(faultIn(schema, { name: "12345678901" })).toEqual({ code: 102, field: "name" });
    expect(faultIn(schema, { name: 5 })).toEqual({ code: 402, field: "name" });
    expect(faultIn(schema, { name: null })).toEqual({ code: 402, field: "name" });
  });
});

describe("the code of a broken form", () => {
  const form = z.strictObject({
    title: safeText(20),
    count: z.int().min(1).max(9),
    email: z.email(),
    password: z.string().min(15),
    newPassword: z.string().min(15).optional(),
    owner: z.uuid(),
    role: z.uuid(),
    directParentAccount: z.uuid().optional(),
    kind: z.enum(["a", "b"]).optional(),
    either: z.union([z.string(), z.array(z.string())]).optional(),
    inner: z.strictObject({ tag: safeText(5), n: z.int() }).optional(),
  });
  const good = {
    title: "t",
    count: 1,
    email: "a@example.com",
    password: "correct horse battery",
    owner: "0190a000-0001-7000-8000-000000000001",
    role: "0190a000-0002-7000-8000-000000000001",
  };
  const without = (key: keyof typeof good) => Object.fromEntries(Object.entries(good).filter(([one]) => one !== key));

  test("a whole form has none", () => expect(faultIn(form, good)).toBeNull());

  test.each<[string, object, number, string]>([
    ["missing field", without("title"), 104, "title"],
    ["missing number", without("count"), 104, "count"],
    ["missing owner", without("owner"), 104, "owner"],
    ["missing role", without("role"), 104, "role"],
    ["missing e-mail", without("email"), 202, "email"],
    ["missing password", without("password"), 206, "password"],
    ["bad e-mail", { ...good, email: "someone" }, 204, "email"],
    ["bad password", { ...good, password: "short" }, 205, "password"],
    ["bad new password", { ...good, newPassword: "short" }, 205, "newPassword"],
    ["bad owner", { ...good, owner: "me" }, 103, "owner"],
    ["bad role", { ...good, role: "admin" }, 107, "role"],
    ["bad parent", { ...good, directParentAccount: "x" }, 103, "directParentAccount"],
    ["wrong type", { ...good, count: "1" }, 402, "count"],
    ["null", { ...good, count: null }, 402, "count"],
    ["wrong type of an owner", { ...good, owner: 5 }, 402, "owner"],
    ["unknown field", { ...good, isAdmin: true }, 402, "isAdmin"],
    ["unknown field inside", { ...good, inner: { tag: "x", n: 1, more: 1 } }, 402, "inner.more"],
    ["neither of two types", { ...good, either: 5 }, 402, "either"],
    ["too small", { ...good, count: 0 }, 102, "count"],
    ["too large", { ...good, count: 10 }, 102, "count"],
    ["not whole", { ...good, count: 1.5 }, 102, "count"],
    ["not one of the words", { ...good, kind: "c" }, 102, "kind"],
    ["brackets", { ...good, title: "<b>" }, 400, "title"],
    ["brackets inside", { ...good, inner: { tag: "{x}", n: 1 } }, 400, "inner.tag"],
    ["missing inside", { ...good, inner: { tag: "x" } }, 104, "inner.n"],
  ])("%s", (_title, value, code, field) => {
    expect(faultIn(form, value)).toEqual({ code, field });
  });

  test("of several faults the first in the order 104, 402, 102, 400 is reported, in any order of the fields", () => {
    const part = {
      a: { schema: safeText(5), 400: "<", 102: "123456", 402: 1 },
      b: { schema: safeText(5), 400: "]", 102: "abcdefg", 402: [] },
      c: { schema: safeText(5), 400: "{", 102: "ABCDEFG", 402: {} },
      d: { schema: safeText(5), 400: "}", 102: "1234567", 402: true },
    };
    const keys = ["a", "b", "c", "d"] as const;
    const schema = z.strictObject({ a: part.a.schema, b: part.b.schema, c: part.c.schema, d: part.d.schema });
    fc.assert(
      fc.property(fc.shuffledSubarray([104, 402, 102, 400] as const, { minLength: 1 }), (codes) => {
        const value: Record<string, unknown> = { a: "x", b: "x", c: "x", d: "x" };
        for (const [n, code] of codes.entries()) {
          const key = keys[n] ?? "a";
          if (code === 104) Reflect.deleteProperty(value, key);
          else value[key] = part[key][code];
        }
        const first = [104, 402, 102, 400].find((code) => codes.some((one) => one === code));
        expect(faultIn(schema, value)?.code).toBe(first);
      }),
      { seed: 104, numRuns: 300 },
    );
  });

  test.each(["email", "password"] as const)("a missing %s is reported before a wrong type elsewhere", (key) => {
    const fault = faultIn(form, { ...without(key), count: "1" });
    expect(fault?.field).toBe(key);
  });
});
