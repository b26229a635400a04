// Tests the limits of length and combining marks in input texts (docs/rules/api.md#input-rule).
import { expect, test } from "vitest";
import type { z } from "zod";
import { boundedNormalizedText, boundedText, deviceText } from "./bounded-text.ts";
import { normalizeText } from "./text-bounds.ts";
import { toInputError, safeText } from "./safe-text.ts";

const codeOf = (schema: z.ZodType, text: string) => {
  const result = schema.safeParse(text, { reportInput: true });
  return result.success ? null : toInputError(result.error).code;
};

test("ER-03 30 marks in a row are a letter, 31 get 400, in every kind of text", () => {
  for (const schema of [safeText(200), boundedText(200), boundedNormalizedText(50)]) {
    expect(codeOf(schema, `a${"\u0315".repeat(30)}`)).toBe(null);
    expect(codeOf(schema, `a${"\u0315".repeat(30)}b${"\u0315".repeat(30)}`)).toBe(null);
    expect(codeOf(schema, `a${"\u0315".repeat(31)}`)).toBe(400);
    expect(codeOf(schema, `a${"\u{1d165}".repeat(31)}`)).toBe(400);
  }
});

test("ER-03 blanks and marks that fall away may be three times the text, not more", () => {
  expect(safeText(5).parse(`${" ".repeat(15)}12345`)).toBe("12345");
  expect(codeOf(safeText(5), `${" ".repeat(16)}12345`)).toBe(102);
  expect(safeText(5).parse("e\u0301\u0300".repeat(5).slice(0, 6))).toBe(normalizeText("e\u0301\u0300e\u0301\u0300"));
  expect(codeOf(safeText(5), "<".repeat(21))).toBe(102);
});

test.each([
  ["as it is", "Straße 3 – full", "Straße 3 – full"],
  ["on several lines", " disk\r\n\tfull \u0000", "disk full"],
  ["that turns its direction", "a\u202eb", "a b"],
  ["too long", "x".repeat(2_001), "x".repeat(200)],
  ["of a million characters", "😀".repeat(500_000), "😀".repeat(100)],
  ["cut within a character", `${"x".repeat(199)}😀`, `${"x".repeat(199)}\ufffd`],
  ["with half a character", "a\ud800b", "a\ufffdb"],
  ["with a pile of marks", `a${"\u0301".repeat(150)}b`, `a${"\u0301".repeat(30)}b`],
  ["of nothing", "\n", ""],
])("T-26 a device's text %s is cut and cleaned, not refused", (_, text, shown) => {
  expect(deviceText(200).parse(text)).toBe(shown);
  expect(codeOf(boundedText(200), shown)).toBe(null);
});
