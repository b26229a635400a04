// Table rows for section tests. A row has a change to valid values, the expected error, and the context of the validation.
import { describe, expect, test } from "vitest";
import { serverErrors } from "../errors.ts";
import type { SensorType } from "../device/sensor-type.ts";
import { validateSection, type ValidationContext } from "./check/check.ts";
import { makeEndpoint, validValues, withChanges } from "./section.testing.ts";
import { sectionsOf } from "./sections.ts";

export type SectionRow = [
  changes: Record<string, unknown>,
  fault: [path: string, message: string] | null,
  known?: ValidationContext,
];
export const specialCharactersMessage = serverErrors.invalidInput.message;
export const repeatX = (n: number) => "x".repeat(n);
export const makeItems = (n: number, make: (id: string, name: string) => unknown) =>
  Array.from({ length: n }, (_, at) => make(`i${at}`, `Name ${at}`));

export const wholeNumberMessage = (label: string, min: number, max: number) =>
  `${label} must be a whole number between ${min} and ${max}.`;

export function rangeRows(
  path: string,
  label: string,
  min: number,
  max: number,
  more: Record<string, unknown> = {},
): SectionRow[] {
  const sentence = wholeNumberMessage(label, min, max);
  return [
    [{ ...more, [path]: min }, null],
    [{ ...more, [path]: max }, null],
    ...[min - 1, max + 1, min + 0.5, `${min}`, Number.NaN, Infinity, true].map((value): SectionRow => [
      { ...more, [path]: value },
      [path, sentence],
    ]),
    ...[null, "", undefined].map((value): SectionRow => [{ ...more, [path]: value }, [path, `${label} is required.`]]),
  ];
}
export function nameRows(path: string, label = "Name"): SectionRow[] {
  return [
    [{ [path]: repeatX(40) }, null],
    [{ [path]: `  ${repeatX(40)}  ` }, null],
    [{ [path]: "Zoë's 2nd / left" }, null],
    [{ [path]: repeatX(41) }, [path, `${label} may have at most 40 characters.`]],
    [{ [path]: repeatX(100_000) }, [path, `${label} may have at most 40 characters.`]],
    [{ [path]: "" }, [path, `${label} is required.`]],
    [{ [path]: "   " }, [path, `${label} is required.`]],
    [{ [path]: 7 }, [path, `${label} must be a text.`]],
    ...["<b>", "[x]", "{x}", "a\u0000b", "a\nb", "\ud800", `a${"\u0301".repeat(31)}`].map((value): SectionRow => [
      { [path]: value },
      [path, specialCharactersMessage],
    ]),
  ];
}
export const switchRows = (path: string, label: string): SectionRow[] => [
  [{ [path]: true }, null],
  [{ [path]: "true" }, [path, `${label} must be on or off.`]],
  [{ [path]: null }, [path, `${label} is required.`]],
];
export const choiceRows = (
  path: string,
  label: string,
  right: readonly unknown[],
  wrong: readonly unknown[],
): SectionRow[] => [
  ...right.map((value): SectionRow => [{ [path]: value }, null]),
  ...wrong.map((value): SectionRow => [{ [path]: value }, [path, `${label} must be one of the choices.`]]),
  [{ [path]: null }, [path, `${label} is required.`]],
];
export const intervalSeconds = [60, 300, 600, 900, 1800, 3600];
export const mainsFrequencyRows = choiceRows("mainsHz", "Mains frequency", ["auto", 50, 60], ["50", 55, []]);

export const endpointRows: SectionRow[] = [
  [{ endpoints: [] }, null],
  [{ endpoints: makeItems(3, makeEndpoint) }, null],
  [{ endpoints: makeItems(4, makeEndpoint) }, ["endpoints", "There may be at most 3 endpoints."]],
  [{ "endpoints.1": makeEndpoint("e2", "BI") }, ["endpoints.1.name", "Name is already used."]],
  [{ "endpoints.1": makeEndpoint("e1", "Other") }, ["endpoints", "Two items have the same id."]],
  ...nameRows("endpoints.0.name"),
  ...switchRows("endpoints.0.enabled", "Enabled"),
  [{ "endpoints.0.url": "mqtts://broker.example.com:8883/topic/a?b=c@d" }, null],
  [{ "endpoints.0.url": "https://192.168.1.7" }, null],
  [{ "endpoints.0.url": `https://a.example/${repeatX(255 - 18)}` }, null],
  [
    { "endpoints.0.url": `https://a.example/${repeatX(255 - 17)}` },
    ["endpoints.0.url", "Address may have at most 255 characters."],
  ],
  [{ "endpoints.0.url": "" }, ["endpoints.0.url", "Address is required."]],
  ...[
    "http://in.example.com",
    "ftp://in.example.com",
    "in.example.com",
    "https://",
    "https:///x",
    "https://user@in.example.com",
    "https://user:pw@in.example.com/",
    "https://in.example.com:0/",
    "https://in.example.com:65536/",
    "https://-in.example.com",
    "https://in .example.com",
    "https://300.1.1.1/",
    "javascript:alert(1)//https://in.example.com",
    String.raw`https:\\in.example.com`,
  ].map((url): SectionRow => [
    { "endpoints.0.url": url },
    ["endpoints.0.url", "Address must begin with https:// or mqtts://."],
  ]),
  [{ "endpoints.0.username": repeatX(64) }, null],
  [{ "endpoints.0.username": repeatX(65) }, ["endpoints.0.username", "Username may have at most 64 characters."]],
  [{ "endpoints.0.password": repeatX(128) }, null],
  [{ "endpoints.0.password": repeatX(129) }, ["endpoints.0.password", "Password may have at most 128 characters."]],
  [{ "endpoints.0.password": 7 }, ["endpoints.0.password", "Password must be a text."]],
  [{ "endpoints.0.password": "\udc00" }, ["endpoints.0.password", specialCharactersMessage]],
  [{ "endpoints.0.username": "" }, ["endpoints.0.username", "The username is required"]],
  [{ "endpoints.0.username": "", "endpoints.0.password": "" }, null],
  [
    { "endpoints.0.username": "", "endpoints.0.password": null },
    null,
    { stored: { endpoints: [{ id: "e1", passwordSet: true }] } },
  ],
  [
    { "endpoints.0.username": "", "endpoints.0.password": "" },
    ["endpoints.0.username", "The username is required"],
    { stored: { endpoints: [{ id: "e1", passwordSet: true }] } },
  ],
  [
    { "endpoints.0.username": " ", "endpoints.0.password": undefined },
    ["endpoints.0.username", "The username is required"],
    { stored: { endpoints: [{ id: "e1", passwordSet: true }] } },
  ],
  [
    { "endpoints.0.username": "", "endpoints.0.password": "" },
    null,
    { stored: { endpoints: [{ id: "e2", passwordSet: true }] } },
  ],
];

export function testRowTables(
  requirement: string,
  type: SensorType,
  tables: readonly (readonly [string, SectionRow[]])[],
) {
  test(`${requirement} ${type}: every section has a table`, () => {
    expect(tables.map(([key]) => key)).toEqual(sectionsOf[type].map(({ key }) => key));
  });
  describe.each(tables)(`${requirement} ${type} %s`, (key, rows) => {
    test.each(rows)("%j → %j", (changes, fault, known = {}) => {
      const [path, message] = fault ?? [];
      const values = withChanges(validValues(type, key), changes);
      expect(validateSection(type, key, values, known)).toEqual(fault === null ? [] : [{ path, message }]);
    });
  });
}
