// Sections on the wire, derived from their descriptions: what people may send, and what a device may answer.
import { z } from "zod";
import { boundedRaw, boundedText, deviceText } from "../kit/bounded-text.ts";
import { composed } from "../kit/text-bounds.ts";
import { type Fact, type Field, isList, type ItemList, type Section, type Values } from "./field.ts";
import { secretSetPath } from "./values.ts";

/** By the device's clock. */
export const deviceTime = z.int().min(0).max(8.64e15);
export const revision = z.int().min(0);
/** Of an item; which characters it may have is judged with the values. */
const itemId = boundedText(64).check(z.minLength(1));
const longestHost = 255;
/** Of a list that is too long the judge says so in words; this bounds what it gets to see. */
const mostSent = 64;
/** Of the numbers and texts that only a device states. */
const longestFact = 200;

/** What a value looks like in one direction. A secret travels under another name in each. */
type Direction = {
  object: (shape: Record<string, z.ZodType>) => z.ZodType;
  field: (field: Field) => [path: string, schema: z.ZodType];
  items: (list: ItemList, item: z.ZodType) => z.ZodType;
};

const point = { x: z.number().nullable(), y: z.number().nullable() };

/**
 * Whether a number is in its range, or a text one of the right form, is not asked here: a field that does not apply keeps what
 * it has, and of the others the judge says what is wrong in the words of the form.
 */
const sent: Direction = {
  object: (shape) => z.strictObject(shape),
  items: (_, item) => z.array(item).max(mostSent),
  field: (field) => {
    switch (field.kind) {
      case "switch":
        return [field.path, z.boolean()];
      case "number":
        return [field.path, z.number().nullable()];
      case "choice":
        return [field.path, z.union([boundedText(64), z.number()])];
      case "text":
        return [field.path, boundedRaw(field.max).transform(composed)];
      case "secret":
        return [field.path, boundedRaw(field.max).nullable().optional()];
      case "reference":
        return [field.path, boundedText(64).nullable()];
      case "hosts":
        return [field.path, z.array(boundedText(longestHost)).max(mostSent)];
      case "points":
        return [field.path, z.array(z.strictObject(point)).max(mostSent)];
    }
  },
};

/**
 * A device may hold a number beyond our ranges, of another firmware or of its own page: it is shown, and refused when it is
 * saved. A choice that does not exist could not be shown. Fields that we do not know are left out, and with them any secret.
 */
const answered: Direction = {
  object: (shape) => z.object(shape),
  items: ({ max }, item) => z.array(item).max(max),
  field: (field) => {
    switch (field.kind) {
      case "switch":
        return [field.path, z.boolean()];
      case "number":
        return [field.path, z.number().nullable()];
      case "choice":
        return [field.path, z.literal(field.options.map(({ value }) => value))];
      case "text":
        return [
          field.path,
          boundedText(field.max)
            .nullable()
            .transform((text) => text ?? ""),
        ];
      case "secret":
        return [secretSetPath(field.path), z.boolean().optional()];
      case "reference":
        return [field.path, boundedText(64).nullable()];
      case "hosts":
        return [field.path, z.array(boundedText(longestHost)).max(field.max)];
      case "points":
        return [field.path, z.array(z.object({ x: z.number(), y: z.number() })).max(field.max)];
    }
  },
};

/** An object from dotted paths: what begins with the same step is an object of its own. */
function nested(entries: readonly [string, z.ZodType][], object: Direction["object"]): z.ZodType {
  const byStep = Map.groupBy(entries, ([path]) => path.split(".", 1)[0] ?? "");
  const shape = [...byStep].map(([step, inner]): [string, z.ZodType] => {
    const [only] = inner;
    if (only?.[0] === step) return [step, only[1]];
    return [
      step,
      nested(
        inner.map(([path, schema]) => [path.slice(step.length + 1), schema]),
        object,
      ),
    ];
  });
  return object(Object.fromEntries(shape));
}

function valuesSchema({ parts }: Section, direction: Direction): z.ZodType<Values> {
  const { object, field, items } = direction;
  const entries = parts.map((part): [string, z.ZodType] => {
    if (!isList(part)) return field(part);
    return [part.path, items(part, nested([["id", itemId], ...part.fields.map(field)], object))];
  });
  return nested(entries, object) as z.ZodType<Values>;
}

function factSchema(fact: Fact): z.ZodType {
  switch (fact.kind) {
    case "time":
      return deviceTime.nullish();
    case "number":
      return z.number().nullish();
    case "text":
    case "choice":
      return deviceText(longestFact).nullish();
  }
}

/** Facts that the device does not know yet are null or not there. */
function factsSchema({ facts, parts }: Section) {
  const byList = Map.groupBy(facts, ({ list }) => list);
  const entries = [...byList].flatMap(([path, those]): [string, z.ZodType][] => {
    const inner = those.map((fact): [string, z.ZodType] => [fact.path, factSchema(fact)]);
    if (path === undefined) return optionalGroups(inner);
    const list = parts.find((part) => part.path === path && isList(part)) as ItemList | undefined;
    const item = nested([["id", itemId], ...inner], z.object);
    return [
      [
        path,
        z
          .array(item)
          .max(list?.max ?? 0)
          .optional(),
      ],
    ];
  });
  return nested(entries, z.object) as z.ZodType<Values>;
}

/** Facts that belong together, such as those of a certificate, may be missing together. */
function optionalGroups(facts: readonly [string, z.ZodType][]): [string, z.ZodType][] {
  const byGroup = Map.groupBy(facts, ([path]) => path.split(".", 1)[0] ?? "");
  return [...byGroup].map(([step, inner]) => {
    if (inner.length === 1 && inner[0]?.[0] === step) return inner[0];
    const rest = inner.map(([path, schema]): [string, z.ZodType] => [path.slice(step.length + 1), schema]);
    return [step, nested(rest, z.object).nullish()];
  });
}

function answerSchema(section: Section) {
  return z.object({
    rev: revision,
    values: valuesSchema(section, answered),
    info: factsSchema(section).optional(),
    /** Applied and not confirmed yet; at `until` the sensor goes back. */
    pending: z.object({ rev: revision, until: deviceTime }).nullish(),
    lastChange: z.object({ rev: revision, outcome: z.enum(["confirmed", "rolledBack"]), at: deviceTime }).nullish(),
    restartNeeded: z.boolean().optional(),
  });
}
export type SectionAnswer = z.output<ReturnType<typeof answerSchema>>;
/** As the server passes it on: read just now, or kept from the last time that the sensor could be asked. `at` is ISO 8601. */
export type ServedSection = SectionAnswer & { source: "device" | "stored"; at: string };

/** A description does not change: its schemas are built once. */
function built<T>(build: (section: Section) => T): (section: Section) => T {
  const known = new WeakMap<Section, T>();
  return (section) => {
    const schema = known.get(section) ?? build(section);
    known.set(section, schema);
    return schema;
  };
}

/** Values to be set: every field, none besides, texts as they are stored. The judge has the last word. */
export const sentValuesSchema = built((section: Section) => valuesSchema(section, sent));
/** What a device answers to config.get. It never lets a secret through. */
export const sectionAnswerSchema = built(answerSchema);
