// Tests which spellings of sensor ids are accepted (docs/rules/api.md#ids).
import fc from "fast-check";
import { expect, test } from "vitest";
import { mac, wireId } from "./ids.ts";
import { parseMac, toMac } from "./mac.ts";

const canonical = "00:1E:C0:12:34:56";

test.each([
  "00:1E:C0:12:34:56",
  "00:1e:c0:12:34:56",
  "00-1E-C0-12-34-56",
  "00.1e.C0.12.34.56",
  "001EC0123456",
  "001ec0123456",
  "001e.c012.3456",
  "001EC0-123456",
])("a sensor id written %s is the same sensor", (spelling) => {
  expect(parseMac(spelling)).toBe(canonical);
  expect(mac.parse(spelling)).toBe(canonical);
});

test.each([
  ["empty", ""],
  ["too short", "00:1E:C0:12:34"],
  ["too long", "00:1E:C0:12:34:56:78"],
  ["an odd digit more", "001EC01234567"],
  ["not hexadecimal", "00:1E:C0:12:34:5G"],
  ["split inside a byte", "0:01E:C0:12:34:56"],
  ["two separators", "00::1E:C0:12:34:56"],
  ["a separator in front", ":00:1E:C0:12:34:56"],
  ["a separator behind", "00:1E:C0:12:34:56:"],
  ["a second line", "00:1E:C0:12:34:56\n"],
  ["one hidden in text", "id 00:1E:C0:12:34:56"],
  ["full-width digits", "００:1E:C0:12:34:56"],
  ["a UUID", "0190a000-0001-7000-8000-000000000001"],
])("%s is no sensor id", (_title, text) => {
  expect(parseMac(text)).toBeNull();
  expect(mac.safeParse(text).success).toBe(false);
});

test("any case and separator of any id reads back as one canonical form", () => {
  const byte = fc.integer({ min: 0, max: 255 }).map((n) => n.toString(16).padStart(2, "0"));
  const bytes = fc.array(byte, { minLength: 6, maxLength: 6 });
  const separator = fc.constantFrom(":", "-", ".", "");
  fc.assert(
    fc.property(bytes, separator, fc.boolean(), (six, between, upper) => {
      const text = upper ? six.join(between).toUpperCase() : six.join(between);
      const expected = six.map((one) => one.toUpperCase()).join(":");
      expect(parseMac(text)).toBe(expected);
      expect(wireId(expected)).toBe(six.join(""));
    }),
    { seed: 3, numRuns: 500 },
  );
});

test("a number makes a canonical id", () => {
  expect(toMac(0x001e_c012_3456)).toBe(canonical);
});

test("the wire form of an id is fit for topics and host labels", () => {
  expect(wireId(canonical)).toBe("001ec0123456");
  expect(wireId("-a/b+c#d.e-")).toBe("abcde");
});
