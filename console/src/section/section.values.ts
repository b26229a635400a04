// Between a section's values and its form: what is sent, what is stored then, and where on the screen something stands.
import type { Fault } from "@psp/contract/section/check/check-field.ts";
import { type Field, isList, type ItemList, type Section, type Values } from "@psp/contract/section/field.ts";
import {
  defaultsOf,
  doesApply,
  idOf,
  isTree,
  itemsAt,
  itemsById,
  newItem,
  readable,
  scopeOf,
  secretSetPath,
  valueAt,
  withoutValueAt,
  withValueAt,
} from "@psp/contract/section/values.ts";

/** Of plain values, whose keys keep their order while they are edited. */
export const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Everything that is set, texts as they are stored. A secret goes along only where it is to be replaced or removed. */
export function sentValues(section: Section, values: Values, before: Values): Values {
  const defaults = defaultsOf(section);
  const withSent = (sent: Values, field: Field, item: unknown, stored: unknown, start: unknown): Values => {
    const value = valueAt(item, field.path);
    if (field.kind === "secret") return isTyped(value) ? withValueAt(sent, field.path, value) : sent;
    // Only in a field that does not apply: of the others it would have been said.
    const kept = isHalfTyped(field, value) ? (valueAt(stored, field.path) ?? valueAt(start, field.path)) : value;
    return withValueAt(sent, field.path, field.kind === "text" ? readable(kept) : kept);
  };
  return section.parts.reduce<Values>((sent, part) => {
    if (!isList(part)) return withSent(sent, part, values, before, defaults);
    const stored = itemsById(before, part.path);
    const items = itemsAt(values, part.path).map((item) => {
      const id = idOf(item) ?? "";
      const start = newItem(part, []);
      return part.fields.reduce<Values>((all, field) => withSent(all, field, item, stored.get(id), start), { id });
    });
    return withValueAt(sent, part.path, items);
  }, {});
}

/** What can't be sent at all. */
function isHalfTyped(field: Field, value: unknown): boolean {
  if (field.kind === "number") return typeof value !== "number";
  return field.kind === "text" && typeof value === "string" && value.length > field.max;
}

/** A secret that was typed, or that is to be removed. */
const isTyped = (secret: unknown) => secret === null || (typeof secret === "string" && secret !== "");

/** What the device has once it took what was sent: of secrets only that there are some. */
export function storedAfter(section: Section, sent: Values, before: Values): Values {
  return section.parts.reduce<Values>((values, part) => {
    if (!isList(part)) return withFlag(values, part, before);
    const stored = itemsById(before, part.path);
    const items = itemsAt(values, part.path).map((item) =>
      isTree(item)
        ? part.fields.reduce<Values>((all, field) => withFlag(all, field, stored.get(idOf(item) ?? "")), item)
        : item,
    );
    return withValueAt(values, part.path, items);
  }, sent);
}

function withFlag(values: Values, field: Field, before: unknown): Values {
  if (field.kind !== "secret") return values;
  const secret = valueAt(values, field.path);
  const flag = secretSetPath(field.path);
  const isSet = isTyped(secret) ? secret !== null : valueAt(before, flag) === true;
  return withValueAt(withoutValueAt(values, field.path), flag, isSet);
}

/** Fields and whole lists that differ. */
const changedParts = ({ parts }: Section, before: Values, after: Values) =>
  parts.filter(({ path }) => !isSame(valueAt(before, path), valueAt(after, path)));

export const changesOf = (section: Section, before: Values, after: Values): string[] =>
  changedParts(section, before, after).map(({ label }) => label);

/** The changes of `mine` made to other values than those that they were made to: what was not touched follows the others. */
export function rebased(section: Section, mine: Values, before: Values, others: Values): Values {
  return changedParts(section, before, mine).reduce<Values>((values, { path }) => {
    const value = valueAt(mine, path);
    return value === undefined ? withoutValueAt(values, path) : withValueAt(values, path, value);
  }, others);
}

/** The end of a path inside of a list, or null where it leads elsewhere. */
const insideOf = (list: ItemList, path: string): string[] | null =>
  path.startsWith(`${list.path}.`) ? path.slice(list.path.length + 1).split(".") : null;

/** A path with the id of an item in place of its number: it stays where it is while items before it go. */
function placeOf({ parts }: Section, values: Values, path: string): string {
  for (const list of parts.filter(isList)) {
    const [index, ...rest] = insideOf(list, path) ?? [];
    const id = index === undefined ? null : idOf(itemsAt(values, list.path)[Number(index)]);
    if (id !== null) return [list.path, id, ...rest].join(".");
  }
  return path;
}

/** Every place that is on the screen. */
function shownPlaces({ parts }: Section, values: Values): ReadonlySet<string> {
  const ofFields = (fields: readonly Field[], item: unknown, prefix: string) =>
    fields.flatMap((field) => {
      if (field.otherwise !== "off" && !doesApply(field, scopeOf(values, item))) return [];
      const place = `${prefix}${field.path}`;
      if (field.kind !== "points") return [place];
      const points = itemsAt(item, field.path).flatMap((_, n) => [`${place}.${n}.x`, `${place}.${n}.y`]);
      return [place, ...points];
    });
  const places = parts.flatMap((part) => {
    if (!isList(part)) return ofFields([part], values, "");
    const items = itemsAt(values, part.path).flatMap((item) => {
      const place = `${part.path}.${idOf(item) ?? ""}`;
      return [place, ...ofFields(part.fields, item, `${place}.`)];
    });
    return [part.path, ...items];
  });
  return new Set(places);
}

/** Where the focus goes on when what had it is gone. */
export const firstPlace = (section: Section, values: Values): string =>
  shownPlaces(section, values).values().next().value ?? "";

/** Where a fault is said: at its field, else at what is around it; null where nothing of that is on the screen. */
export type PlacedFault = { place: string | null; message: string };

export function placed(section: Section, values: Values, faults: readonly Fault[]): PlacedFault[] {
  const shown = shownPlaces(section, values);
  return faults.map(({ path, message }) => {
    const steps = placeOf(section, values, path).split(".");
    const around = steps.map((_, n) => steps.slice(0, steps.length - n).join("."));
    return { place: around.find((place) => shown.has(place)) ?? null, message };
  });
}

export const elementId = (place: string) => `section-${place}`;

const minutes = new Intl.DateTimeFormat("de-DE", {
  day: "2-digit",
  month: "2-digit",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
/** dd.MM.yyyy HH:mm in the browser's zone. */
export const minuteWords = (at: number | string) => minutes.format(new Date(at)).replace(",", "");
