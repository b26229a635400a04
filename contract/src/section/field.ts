// The language in which sections of device pages are described: fields, lists and facts as data. The form, the validator and the
// wire are derived from it, so that a new section costs its description and nothing else.

/** The values of a section, as they travel. They come from forms and devices, so that anything may stand in them. */
export type Values = Readonly<Record<string, unknown>>;

/** What a rule may look at beside its own value. Other fields may still be wrong: a rule says nothing where it can't judge. */
export type Scope = {
  /** A field of the same item of a list, by its path; of the section for fields outside of lists. */
  near: (path: string) => unknown;
  /** A field of the section, by its path. */
  whole: (path: string) => unknown;
  /** Whether the secret at this path of the same item will be there after saving: typed now, or stored and kept. */
  hasSecret: (path: string) => boolean;
};

/** A sentence, or null where nothing is wrong. It is asked only where the value itself is right. */
type Rule = (value: unknown, scope: Scope) => string | null;

type Described = {
  /** Dotted, relative to the section's values or to the item of the list. */
  path: string;
  /** The name on the screen, by which sentences call it, too. */
  label: string;
  /** `restart`: takes effect after one. `confirm`: may cut the connection, so that the sensor goes back unless it is confirmed. */
  mark?: "restart" | "confirm";
  /** While it is false the field keeps its value, which is sent and not judged. */
  applies?: (scope: Scope) => boolean;
  /** How a field looks that does not apply; hidden unless said otherwise. */
  otherwise?: "hidden" | "off";
  rule?: Rule;
};

export type SwitchField = Described & {
  kind: "switch";
  default: boolean;
  /** What is asked at saving when it was switched off, and the button that does it. */
  offAsks?: { question: string; button: string };
};
export type NumberField = Described & {
  kind: "number";
  min: number;
  max: number;
  decimals: 0 | 1;
  default: number;
  /** What 0 means, where it is no amount. */
  zero?: string;
};
export type Option = { value: string | number; label: string };
export type ChoiceField = Described & { kind: "choice"; options: readonly Option[]; default: string | number };
export type TextField = Described & {
  kind: "text";
  max: number;
  required: boolean;
  default: string;
  /** Within its list. */
  unique?: boolean;
  /** What a text that is not empty must be, and the sentence otherwise. It sees a text of at most `max` characters. */
  must?: { be: (text: string) => boolean; sentence: string };
};
/** Write-only: it is sent as a text that replaces, as '' or not at all to keep, as null to remove; devices answer `…Set`. */
export type SecretField = Described & { kind: "secret"; min?: number; max: number };
/** An item of a list, by its id. */
export type ReferenceField = Described & {
  kind: "reference";
  /** Another section of the same sensor; the same one where there is none. */
  section?: string;
  list: string;
  /** Whether null ('-') is possible. */
  nullable: boolean;
  /** Said of an id that is not in that list. */
  missing: string;
};
/** Addresses: a list on the wire, divided by commas on the screen. */
export type HostsField = Described & {
  kind: "hosts";
  be: (text: string) => boolean;
  max: number;
  sentence: string;
  default: readonly string[];
};
/** Corners of a line or of a zone on the picture: `{x, y}` in percent of its width and height, with one decimal. */
export type PointsField = Described & {
  kind: "points";
  min: number;
  max: number;
  /** Whether the last point is joined to the first. */
  closed: boolean;
  default: readonly Point[];
};
export type Point = { x: number; y: number };

export type Field =
  | SwitchField
  | NumberField
  | ChoiceField
  | TextField
  | SecretField
  | ReferenceField
  | HostsField
  | PointsField;

/** Items with an `id` each. The console makes ids, which stay; those of a list that is `fixed` come from the device. */
export type ItemList = {
  kind: "list";
  path: string;
  label: string;
  /** One item and several, in the middle of a sentence. */
  words: { one: string; many: string };
  /** How an item is called: 'Camera c1' by its id, 'Level {name}' by its name, and 'New level' until it is saved. */
  title: "id" | "name";
  fields: readonly Field[];
  min: number;
  max: number;
  /** The device decides which items there are. */
  fixed?: boolean;
  /** First part of the ids that the console makes. */
  idPrefix: string;
  default: readonly Values[];
  rule?: (items: readonly unknown[], scope: Scope) => string | null;
  /** What looks at items of this list, which can't be removed meanwhile. */
  usedBy?: readonly ItemUse[];
};
export type ItemUse = {
  /** Another section of the same sensor; the same one where there is none. */
  section?: string;
  list: string;
  /** The field of its items that holds the id. */
  field: string;
  /** Why the item stays, given the ids of the items that look at it. */
  sentence: (ids: readonly string[]) => string;
};

/** Something that the device states and that no one can set. Where it has a `list` there is one for each item, found by its id. */
export type Fact = {
  path: string;
  label: string;
  list?: string;
} & (
  | { kind: "time" }
  | { kind: "text" }
  /** `of` puts the number in words. */
  | { kind: "number"; of?: (n: number) => string }
  | { kind: "choice"; options: readonly Option[] }
);

export type Section = {
  /** Its name in calls. */
  key: string;
  /** The end of its page's address. */
  segment: string;
  /** Its entry in the menu. */
  label: string;
  parts: readonly (Field | ItemList)[];
  facts: readonly Fact[];
};

export const isList = (part: Field | ItemList): part is ItemList => part.kind === "list";
