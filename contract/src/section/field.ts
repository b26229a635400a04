// Declarative description of settings sections: fields, lists and facts as data. Form, validation and wire schemas are derived
// from it.

/** Values of a section as sent or received; untrusted. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * What a rule may read besides its own value. Other fields may be invalid; a rule that then can't decide returns null.
 */
export type RuleContext = {
  /** Value of the field at this path of the same list item; outside lists, of the section. */
  inItem: (path: string) => unknown;
  inSection: (path: string) => unknown;
  /** Whether the secret at this path of the same item will exist after saving: newly typed, or stored and kept. */
  hasSecret: (path: string) => boolean;
};

/** Returns a message or null. Called only if the value itself is valid. */
type Rule = (value: unknown, context: RuleContext) => string | null;

type Described = {
  /** Dotted, relative to the section's values or to the list item. */
  path: string;
  /** Label on the screen, also used in messages. */
  label: string;
  /** `restart`: takes effect after a restart. `confirm`: may cut the connection, so the sensor reverts unless it is confirmed. */
  mark?: "restart" | "confirm";
  /** While false, the field keeps its value, which is sent but not validated. */
  applies?: (context: RuleContext) => boolean;
  /** How the form shows the field while it doesn't apply; hidden by default. */
  otherwise?: "hidden" | "off";
  rule?: Rule;
};

export type SwitchField = Described & {
  kind: "switch";
  default: boolean;
  /** Question asked on save if the switch was turned off, and the label of the button that confirms. */
  offQuestion?: { question: string; button: string };
};
export type NumberField = Described & {
  kind: "number";
  min: number;
  max: number;
  decimals: 0 | 1;
  default: number;
  /** Meaning of 0, if it isn't an amount. */
  zero?: string;
};
export type Option = { value: string | number; label: string };
export type ChoiceField = Described & { kind: "choice"; options: readonly Option[]; default: string | number };
export type TextField = Described & {
  kind: "text";
  max: number;
  required: boolean;
  default: string;
  unique?: boolean;
  /** Format of a non-empty text, and the message if it doesn't match. `be` gets at most `max` characters. */
  must?: { be: (text: string) => boolean; sentence: string };
};
/** Write-only: a text replaces the secret, '' or absence keeps it, null removes it. Devices report only `…Set`. */
export type SecretField = Described & { kind: "secret"; min?: number; max: number };
export type ReferenceField = Described & {
  kind: "reference";
  /** Another section of the same sensor; default: this one. */
  section?: string;
  list: string;
  /** Whether null ('-') is allowed. */
  nullable: boolean;
  /** Message for an id that isn't in the list. */
  missing: string;
};
/** Network addresses: an array on the wire, comma-separated on the screen. */
export type HostsField = Described & {
  kind: "hosts";
  be: (text: string) => boolean;
  max: number;
  sentence: string;
  default: readonly string[];
};
/** Corners of a line or zone on the picture: `{x, y}` in percent of its width and height, with one decimal. */
export type PointsField = Described & {
  kind: "points";
  min: number;
  max: number;
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

/** Items with an `id` each, created by the console; items of a `fixed` list come from the device. */
export type ItemList = {
  kind: "list";
  path: string;
  label: string;
  /** Singular and plural, as used within a sentence. */
  words: { one: string; many: string };
  /** Item titles: 'Camera c1' by id, 'Level {name}' by name, 'New level' until it is saved. */
  title: "id" | "name";
  fields: readonly Field[];
  min: number;
  max: number;
  /** The device determines which items exist. */
  fixed?: boolean;
  /** Prefix of the ids that the console creates. */
  idPrefix: string;
  default: readonly Values[];
  rule?: (items: readonly unknown[], context: RuleContext) => string | null;
  /** References to items of this list; referenced items can't be removed. */
  usedBy?: readonly ItemUse[];
};
export type ItemUse = {
  /** Another section of the same sensor; default: this one. */
  section?: string;
  list: string;
  field: string;
  /** Why the item can't be removed, given the ids of the items that use it. */
  sentence: (ids: readonly string[]) => string;
};

/** Read-only information from the device. With `list`, one per list item, matched by id. */
export type Fact = {
  path: string;
  label: string;
  list?: string;
} & (
  | { kind: "time" }
  | { kind: "text" }
  /** `of` formats the number. */
  | { kind: "number"; of?: (n: number) => string }
  | { kind: "choice"; options: readonly Option[] }
);

export type Section = {
  /** Name in RPC calls. */
  key: string;
  /** Last path segment of its page. */
  segment: string;
  label: string;
  parts: readonly (Field | ItemList)[];
  facts: readonly Fact[];
};

export const isList = (part: Field | ItemList): part is ItemList => part.kind === "list";
