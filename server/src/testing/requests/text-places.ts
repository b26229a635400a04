// Finds every string in a schema by walking it, so that no new field escapes a test.
import type { z } from "zod";

export type TextPlace = {
  /** Dotted path. `*` stands for an array item or a record value, `{key}` for a record key. */
  path: string;
  /** Builds the smallest value with the string at this path, without other required fields. */
  put: (text: string) => unknown;
};

type Definition = {
  type: string;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  items?: z.ZodType[];
  keyType?: z.ZodType;
  valueType?: z.ZodType;
  options?: z.ZodType[];
  discriminator?: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  values?: unknown[];
};

const holdsText = new Set(["string", "enum", "literal", "unknown", "any"]);
const holdsNone = new Set(["number", "int", "boolean", "null", "undefined", "void", "never"]);
const wrapping = new Set(["optional", "nullable", "default", "prefault", "readonly", "catch", "nonoptional"]);

/** Throws for an unknown kind of schema, which must be added here. */
export function findTextPlaces(schema: z.ZodType): TextPlace[] {
  const definition = schema.def as unknown as Definition;
  const { type, shape, element, items, keyType, valueType, options, innerType } = definition;
  if (holdsText.has(type)) return [{ path: "", put: (text) => text }];
  if (holdsNone.has(type)) return [];
  if (innerType && wrapping.has(type)) return findTextPlaces(innerType);
  if (type === "pipe" && definition.in) return findTextPlaces(definition.in);
  if (shape) return Object.entries(shape).flatMap(([key, inner]) => inside(key, inner, (value) => ({ [key]: value })));
  if (element) return inside("*", element, (value) => [value]);
  if (items)
    return items.flatMap((inner, n) => inside(`${n}`, inner, (value) => [...Array<null>(n).fill(null), value]));
  if (keyType && valueType)
    return [
      ...inside("{key}", keyType, (text) => ({ [text as string]: 0 })),
      ...inside("*", valueType, (value) => ({ key: value })),
    ];
  if (options) return options.flatMap((option) => ofOption(option, definition.discriminator));
  throw new Error(`Where is the text in a ${type}?`);
}

function inside(key: string, inner: z.ZodType, wrap: (value: unknown) => unknown): TextPlace[] {
  return findTextPlaces(inner).map(({ path, put }) => ({
    path: path === "" ? key : `${key}.${path}`,
    put: (text) => wrap(put(text)),
  }));
}

/** One option of a union, with its discriminator set. */
function ofOption(option: z.ZodType, discriminator: string | undefined): TextPlace[] {
  if (discriminator === undefined) return findTextPlaces(option);
  const field = (option.def as unknown as Definition).shape?.[discriminator];
  const [kind] = (field?.def as unknown as Definition | undefined)?.values ?? [];
  return findTextPlaces(option).map(({ path, put }) =>
    path === discriminator
      ? { path, put }
      : { path, put: (text) => ({ [discriminator]: kind, ...(put(text) as Record<string, unknown>) }) },
  );
}

const mebibyte = 1024 * 1024;

function filled(chunk: string, bytes: number): string {
  return chunk.repeat(Math.floor(bytes / new TextEncoder().encode(chunk).length));
}

/** Strings that are expensive for code that does not check lengths first; 1 MiB by default. */
export function heavyTexts(bytes = mebibyte): Record<string, string> {
  return {
    // Out of order, so that normalization must sort them.
    marks: filled("\u0315\u0300", bytes),
    "a letter with marks": `a${filled("\u0315\u0300", bytes)}`,
    spaces: filled(" ", bytes),
    "wide spaces around a letter": `${filled("\u3000", bytes / 2)}a${filled("\u3000", bytes / 2)}`,
    letters: filled("a", bytes),
    digits: filled("1", bytes),
    dots: `a@${filled("a.", bytes)}`,
    hyphens: `${filled("-", bytes)}x`,
    colons: filled("00:", bytes),
    "halves of characters": filled("\ud83d", bytes),
    emoji: filled("😀", bytes),
    ligatures: filled("\ufdfa", bytes),
    jamo: filled("\u1112\u1161\u11ab", bytes),
    brackets: filled("<", bytes),
    nulls: filled("\u0000", bytes),
  };
}
