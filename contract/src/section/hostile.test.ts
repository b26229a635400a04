// Tests that malformed and malicious values from clients and devices cause a message, never an exception.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SensorType } from "../device/sensor-type.ts";
import { validateSection } from "./check/check.ts";
import type { Values } from "./field.ts";
import { validateRpc } from "./rpc.ts";
import { withoutSecrets } from "./saving.ts";
import { allPathsOf, validValues, setConfigRequest as ask, requireSection, replaceAt } from "./section.testing.ts";
import { sectionsOf } from "./sections.ts";
import { sectionResponseSchema } from "./wire.ts";

const every = Object.entries(sectionsOf).flatMap(([type, list]) =>
  list.map(({ key }) => [type as SensorType, key] as const),
);
const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    "",
    Number.NaN,
    Infinity,
    -0,
    2 ** 53,
    true,
    [],
    [[]],
    [null],
    {},
    { length: 3 },
    "\ud800",
    "a".repeat(100_000),
    `a${"\u0315\u0300".repeat(50_000)}`,
    JSON.parse('{"__proto__":{"enabled":true},"constructor":{"prototype":{}},"toString":1,"hasOwnProperty":true}'),
  ),
  fc.jsonValue(),
);

test.each(every)("%s %s: anything at any place is judged in words", (type, key) => {
  const right = validValues(type, key);
  const section = requireSection(type, key);
  fc.assert(
    fc.property(fc.constantFrom(...allPathsOf(right)), hostile, hostile, (path, value, known) => {
      const values = replaceAt(right, path, value);
      const found = validateSection(type, key, values, { stored: known, others: { group: known, camera: known } });
      for (const { path: at, message } of found) {
        expect(message).toMatch(/^[A-Z].{8,200}$/);
        expect(at).toMatch(/^[A-Za-z0-9.]*$/);
      }
      const judged = validateRpc(type, ask(key, values), { group: known, camera: known, [key]: known });
      // Errors of the wire schema have no `fields`, because no form can send such values.
      if (judged.fault?.fields !== undefined) expect(judged.fault.fields.length).toBeGreaterThan(0);
      if (judged.call !== undefined) expect(found).toEqual([]);
      else expect([102, 104, 400, 402]).toContain(judged.fault.code);
      sectionResponseSchema(section).safeParse({ rev: 1, values });
      if (typeof values === "object" && values !== null) withoutSecrets(section, values as Values);
    }),
    { seed: 3, numRuns: 400 },
  );
});

test.each(every)("%s %s: keys that are not the section's own are refused, wherever they stand", (type, key) => {
  const right = validValues(type, key);
  expect(validateRpc(type, ask(key, right)).call).toBeDefined();
  const objects = allPathsOf(right).filter((path) => {
    const value = path.reduce<unknown>((at, step) => (at as Values)[step], right);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  });
  for (const path of objects) {
    const object = path.reduce<unknown>((at, step) => (at as Values)[step], right) as Values;
    for (const trick of ["extra", "passwordSet", "constructor", "toString"]) {
      const { fault } = validateRpc(type, ask(key, replaceAt(right, path, { ...object, [trick]: 1 })));
      expect(fault, `${path.join(".")} ${trick}`).toMatchObject({
        code: 402,
        field: ["params.values", ...path, trick].join("."),
      });
    }
    const text = JSON.stringify(object).replace(
      /\}$/,
      `${Object.keys(object).length > 0 ? "," : ""}"__proto__":{"a":1}}`,
    );
    const { fault } = validateRpc(type, ask(key, replaceAt(right, path, JSON.parse(text))));
    expect(fault?.code, path.join(".")).toBe(402);
  }
});

test.each(every)("%s %s: a value that is left out is missing", (type, key) => {
  const right = validValues(type, key);
  for (const name of Object.keys(right)) {
    const { [name]: _, ...rest } = right;
    const { fault } = validateRpc(type, ask(key, rest));
    const isSecret = requireSection(type, key).parts.some(({ path, kind }) => path === name && kind === "secret");
    expect(fault?.code, name).toBe(isSecret ? undefined : 104);
  }
});
