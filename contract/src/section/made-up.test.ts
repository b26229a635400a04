// Adds a made-up section to test that a new section requires only a description (fields and texts) and no code.
import { expect, test } from "vitest";
import { validateValues } from "./check/check.ts";
import { findRemovalBlocker } from "./check/removal.ts";
import { isList, type ItemList, type Section } from "./field.ts";
import { planSave, withoutSecrets } from "./saving.ts";
import { getDefaults, isApplicable, createItem, toRuleContext } from "./values.ts";
import { sectionResponseSchema, requestValuesSchema } from "./wire.ts";
import { addButtonLabel, listFullReason, itemName, itemTitle, referenceChoices } from "./item-labels.ts";

const doors: ItemList = {
  kind: "list",
  path: "doors",
  label: "Doors",
  words: { one: "door", many: "doors" },
  title: "name",
  idPrefix: "d",
  min: 1,
  max: 2,
  default: [{ id: "d1", name: "Front" }],
  fields: [{ kind: "text", path: "name", label: "Name", max: 10, required: true, unique: true, default: "" }],
  usedBy: [{ list: "lamps", field: "doorId", sentence: (ids) => `Lamp ${ids.join(", ")} needs this door.` }],
};
const lighting: Section = {
  key: "lighting",
  segment: "lighting",
  label: "Lighting",
  parts: [
    {
      kind: "switch",
      path: "on",
      label: "Light",
      default: true,
      mark: "confirm",
      offQuestion: { question: "In the dark?", button: "Darken" },
    },
    {
      kind: "number",
      path: "dim.percent",
      label: "Dimmed to (%)",
      min: 1,
      max: 99.5,
      decimals: 1,
      default: 50,
      applies: ({ inSection }) => inSection("on") === true,
    },
    { kind: "secret", path: "dim.code", label: "Code", min: 4, max: 8 },
    doors,
    {
      kind: "list",
      path: "lamps",
      label: "Lamps",
      words: { one: "lamp", many: "lamps" },
      title: "id",
      idPrefix: "p",
      min: 0,
      max: 3,
      default: [],
      fields: [
        { kind: "reference", path: "doorId", label: "Door", list: "doors", nullable: false, missing: "No such door." },
        { kind: "secret", path: "key", label: "Key", max: 8 },
      ],
    },
  ],
  facts: [
    { path: "burnt", label: "Burnt", kind: "number", of: (n) => `${n} h` },
    { path: "since", label: "Since", kind: "time", list: "lamps" },
  ],
};
const lit = {
  on: true,
  dim: { percent: 12.5, code: "1234" },
  doors: [{ id: "d1", name: "Front" }],
  lamps: [{ id: "p1", doorId: "d1", key: "k" }],
};

test("a made-up section has defaults, a judge, a wire in both directions, questions and reasons", () => {
  expect(getDefaults(lighting)).toEqual({
    on: true,
    dim: { percent: 50, code: "" },
    doors: [{ id: "d1", name: "Front" }],
    lamps: [],
  });
  expect(validateValues(lighting, getDefaults(lighting))).toEqual([]);
  const wrong = { on: true, dim: { percent: 100, code: "123" }, doors: [], lamps: [{ id: "p1", doorId: "d1" }] };
  expect(validateValues(lighting, wrong)).toEqual([
    {
      path: "dim.percent",
      message: "Dimmed to (%) must be a number between 0 and 100 with at most one decimal.".replace(
        "0 and 100",
        "1 and 99.5",
      ),
    },
    { path: "dim.code", message: "Code must have between 4 and 8 characters." },
    { path: "doors", message: "There must be at least 1 door." },
    { path: "lamps.0.doorId", message: "No such door." },
  ]);
  expect(validateValues(lighting, { ...wrong, on: false }).map(({ path }) => path)).not.toContain("dim.percent");

  expect(requestValuesSchema(lighting).parse(lit)).toEqual(lit);
  expect(requestValuesSchema(lighting).safeParse({ ...lit, dim: { ...lit.dim, codeSet: true } }).success).toBe(false);
  const answer = {
    rev: 3,
    values: { ...lit, dim: { ...lit.dim, codeSet: true }, more: 1 },
    info: { burnt: 7, lamps: [{ id: "p1", since: 5 }] },
  };
  expect(sectionResponseSchema(lighting).parse(answer)).toEqual({
    rev: 3,
    values: { ...lit, dim: { percent: 12.5, codeSet: true }, lamps: [{ id: "p1", doorId: "d1" }] },
    info: { burnt: 7, lamps: [{ id: "p1", since: 5 }] },
  });
  expect(withoutSecrets(lighting, answer.values)).toEqual({
    ...lit,
    dim: { percent: 12.5, codeSet: true },
    lamps: [{ id: "p1", doorId: "d1" }],
    more: 1,
  });

  expect(planSave(lighting, lit, { ...lit, on: false })).toEqual({
    confirm: true,
    questions: [{ question: "In the dark?", button: "Darken" }],
  });
  expect(planSave(lighting, lit, { ...lit, lamps: [] })).toEqual({ confirm: false, questions: [] });
  expect(findRemovalBlocker(doors, "d1", lit, {})).toBe("Lamp p1 needs this door.");
  expect(findRemovalBlocker(doors, "d2", lit, {})).toBeNull();
});

test("items are made, titled and counted along the description", () => {
  expect(createItem(doors, [])).toEqual({ id: "d1", name: "" });
  expect(createItem(doors, ["d1", "d7", "x9", "d", "d99999999999"])).toEqual({ id: "d8", name: "" });
  expect([addButtonLabel(doors), listFullReason(doors, 1), listFullReason(doors, 2)]).toEqual([
    "Add door",
    null,
    "There may be at most 2 doors.",
  ]);
  const [front, lamp] = [lit.doors[0], lit.lamps[0]];
  const lamps = lighting.parts.filter(isList)[1] as ItemList;
  expect([itemTitle(doors, front, false), itemTitle(doors, front, true), itemTitle(lamps, lamp, false)]).toEqual([
    "Door Front",
    "New door",
    "Lamp p1",
  ]);
  expect([itemName(doors, front, false), itemName(doors, front, true)]).toEqual(["Front", "New door"]);
});

test("a reference offers the items of its list, in this or another section", () => {
  const reference = { kind: "reference", path: "doorId", label: "Door", list: "doors", nullable: false } as const;
  const choices = [{ value: "d1", label: "Front" }];
  expect(referenceChoices({ ...reference, missing: "" }, lit, {})).toEqual(choices);
  const elsewhere = { ...reference, section: "lighting", nullable: true, missing: "" };
  expect(referenceChoices(elsewhere, {}, { lighting: lit })).toEqual([{ value: null, label: "-" }, ...choices]);
  expect(referenceChoices(elsewhere, {}, {})).toEqual([{ value: null, label: "-" }]);
});

test("defaults are copies: what a form does to them changes no description", () => {
  const values = getDefaults(lighting) as { doors: { name: string }[] };
  if (values.doors[0]) values.doors[0].name = "Changed";
  expect(getDefaults(lighting)["doors"]).toEqual([{ id: "d1", name: "Front" }]);
});

test("a field applies as its section says", () => {
  const [, percent] = lighting.parts.filter((part) => !isList(part));
  if (percent === undefined) throw new Error("no such field");
  expect(isApplicable(percent, toRuleContext({ on: true }))).toBe(true);
  expect(isApplicable(percent, toRuleContext({ on: false }))).toBe(false);
});
