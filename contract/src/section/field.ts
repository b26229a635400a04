// Types that describe a settings section as data: its fields, lists and facts. The form, the validation and the wire schemas are
// derived from the description.

/** Values of a section as sent or received; untrusted. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * Values that a rule may read in addition to the value of its own field. These values may be invalid. If a rule can't decide for
 * that reason, it returns null.
 */
export type RuleContext = {
  /** Returns the value at this path in the same list item, or in the section if the field is not in a list. */
  inItem: (path: string) => unknown;
  inSection: (path: string) => unknown;
  /** Whether the secret at this path will exist after saving, because it was typed or is stored and kept. */
  hasSecret: (path: string) => boolean;
};

/** Returns an error message or null. Called only if the value is valid by itself. */
type Rule = (value: unknown, context: RuleContext) => string | null;

type Described = {
  /** Dotted path, relative to the section's values or to the list item. */
  path: string;
  label: string;
  /**
   * `restart` marks fields that take effect after a restart. `confirm` marks fields that may cut the connection, so the sensor
   * reverts the change unless the server confirms it.
   */
  mark?: "restart" | "confirm";
  /** Whether the field applies. If not, its value is still sent, but not validated. */
  applies?: (context: RuleContext) => boolean;
  /** How the form shows the field if it doesn't apply: hidden (default) or disabled. */
  otherwise?: "hidden" | "off";
  rule?: Rule;
};

export type SwitchField = Described & {
  kind: "switch";
  default: boolean;
  /** The question that is asked on save if the switch was turned off, and the label of the confirmation button. */
  offQuestion?: { question: string; button: string };
};
export type NumberField = Described & {
  kind: "number";
  min: number;
  max: number;
  decimals: 0 | 1;
  default: number;
  /** Meaning of 0 if it isn't an amount, such as "no distinction". */
  zero?: string;
};
export type ChoiceOption = { value: string | number; label: string };
export type ChoiceField = Described & { kind: "choice"; options: readonly ChoiceOption[]; default: string | number };
export type TextField = Described & {
  kind: "text";
  max: number;
  required: boolean;
  default: string;
  unique?: boolean;
  /** Format check of a non-empty text, and the message if it fails. `be` gets at most `max` characters. */
  must?: { be: (text: string) => boolean; sentence: string };
};
/**
 * A write-only value. A text replaces the secret, null removes it, and '' or a missing value keeps it. Devices report only
 * whether it is set (`…Set`).
 */
export type SecretField = Described & { kind: "secret"; min?: number; max: number };
export type ReferenceField = Described & {
  kind: "reference";
  /** Key of another section of the same sensor that has the list. Default: this section. */
  section?: string;
  list: string;
  /** Whether null ('-') is allowed. */
  nullable: boolean;
  /** Message if the id isn't in the list. */
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
/** Corners of a line or zone on the picture. `x` and `y` are in percent of its width and height, with one decimal. */
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

/** A list of items that have an `id`. The console creates items, except in `fixed` lists. */
export type ItemList = {
  kind: "list";
  path: string;
  label: string;
  /** Singular and plural for use within a sentence. */
  words: { one: string; many: string };
  /** Whether titles of items use the id ('Camera c1') or the name ('Level {name}'). */
  title: "id" | "name";
  fields: readonly Field[];
  min: number;
  max: number;
  /** Only the device determines which items exist. */
  fixed?: boolean;
  /** Prefix of the ids that the console creates. */
  idPrefix: string;
  default: readonly Values[];
  rule?: (items: readonly unknown[], context: RuleContext) => string | null;
  /** Lists whose items refer to this list. Referenced items can't be removed. */
  usedBy?: readonly ItemReference[];
};
export type ItemReference = {
  /** Key of another section of the same sensor that has the list. Default: this section. */
  section?: string;
  list: string;
  field: string;
  /** Returns why the item can't be removed. `ids` are the items that use it. */
  sentence: (ids: readonly string[]) => string;
};

/** Read-only information from the device. With `list`, each item of that list has its own fact, matched by id. */
export type Fact = {
  path: string;
  label: string;
  list?: string;
} & (
  | { kind: "time" }
  | { kind: "text" }
  | { kind: "number"; of?: (n: number) => string }
  | { kind: "choice"; options: readonly ChoiceOption[] }
);

export type Section = {
  /** Name in RPC calls. */
  key: string;
  /** Last segment of its page's path. */
  segment: string;
  label: string;
  parts: readonly (Field | ItemList)[];
  facts: readonly Fact[];
};

export const isList = (part: Field | ItemList): part is ItemList => part.kind === "list";
