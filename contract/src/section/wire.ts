// Derives the wire schemas of sections from their descriptions, for client requests and device responses.
import { z } from "zod";
import { boundedNormalizedText, boundedText, deviceText } from "../kit/bounded-text.ts";
import { normalizeText } from "../kit/text-bounds.ts";
import { type Fact, type Field, isList, type ItemList, type Section, type Values } from "./field.ts";
import { secretFlagPath } from "./values.ts";

/** Milliseconds since 1970 by the device's clock. */
export const deviceTimeSchema = z.int().min(0).max(8.64e15);
export const revisionSchema = z.int().min(0);
/** Checks only the length; validateSection checks the characters. */
const itemId = boundedText(64).check(z.minLength(1));
const longestHost = 255;
/** Limits the work on oversized lists. validateSection rejects them later with a message. */
const maxSentItems = 64;
/** Read-only texts from the device are truncated to this length. */
const maxFactLength = 200;

/** Schemas of fields for one direction. Secrets differ: clients send them, and devices report only whether they are set. */
type Direction = {
  object: (shape: Record<string, z.ZodType>) => z.ZodType;
  field: (field: Field) => [path: string, schema: z.ZodType];
  items: (list: ItemList, item: z.ZodType) => z.ZodType;
};

const point = { x: z.number().nullable(), y: z.number().nullable() };

/**
 * Checks neither ranges nor formats, because fields that don't apply may have any value. validateSection checks the other fields.
 */
const sent: Direction = {
  object: (shape) => z.strictObject(shape),
  items: (_, item) => z.array(item).max(maxSentItems),
  field: (field) => {
    switch (field.kind) {
      case "switch":
        return [field.path, z.boolean()];
      case "number":
        return [field.path, z.number().nullable()];
      case "choice":
        return [field.path, z.union([boundedText(64), z.number()])];
      case "text":
        return [field.path, boundedNormalizedText(field.max).transform(normalizeText)];
      case "secret":
        return [field.path, boundedNormalizedText(field.max).nullable().optional()];
      case "reference":
        return [field.path, boundedText(64).nullable()];
      case "hosts":
        return [field.path, z.array(boundedText(longestHost)).max(maxSentItems)];
      case "points":
        return [field.path, z.array(z.strictObject(point)).max(maxSentItems)];
    }
  },
};

/**
 * Accepts numbers outside our ranges, which other firmware or the device page can set. They are displayed, but rejected on save.
 * Unknown choices are invalid. Unknown fields are dropped, including secrets.
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
        return [secretFlagPath(field.path), z.boolean().optional()];
      case "reference":
        return [field.path, boundedText(64).nullable()];
      case "hosts":
        return [field.path, z.array(boundedText(longestHost)).max(field.max)];
      case "points":
        return [field.path, z.array(z.object({ x: z.number(), y: z.number() })).max(field.max)];
    }
  },
};

/** Builds nested objects from dotted paths. */
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
      return deviceTimeSchema.nullish();
    case "number":
      return z.number().nullish();
    case "text":
    case "choice":
      return deviceText(maxFactLength).nullish();
  }
}

/** Facts may be null or missing if the device doesn't know them yet. */
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

/** Groups facts by the first part of their paths, such as `certificate`. A whole group may be null or missing. */
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
    rev: revisionSchema,
    values: valuesSchema(section, answered),
    info: factsSchema(section).optional(),
    /** The last change is applied but not confirmed yet. The sensor reverts it at `until`. */
    pending: z.object({ rev: revisionSchema, until: deviceTimeSchema }).nullish(),
    lastChange: z
      .object({ rev: revisionSchema, outcome: z.enum(["confirmed", "rolledBack"]), at: deviceTimeSchema })
      .nullish(),
    restartNeeded: z.boolean().optional(),
  });
}
export type SectionResponse = z.output<ReturnType<typeof answerSchema>>;
/** A section as served to clients: just read from the device, or its last known values. `at` is ISO 8601. */
export type ServedSection = SectionResponse & { source: "device" | "stored"; at: string };

/** Caches a schema per section, because section descriptions never change. */
function built<T>(build: (section: Section) => T): (section: Section) => T {
  const known = new WeakMap<Section, T>();
  return (section) => {
    const schema = known.get(section) ?? build(section);
    known.set(section, schema);
    return schema;
  };
}

/** Values of config.set: exactly the section's fields, with normalized texts. validateSection checks the values. */
export const requestValuesSchema = built((section: Section) => valuesSchema(section, sent));
/** Response to config.get, without secrets. */
export const sectionResponseSchema = built(answerSchema);
