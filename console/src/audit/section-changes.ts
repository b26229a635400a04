// Describes changed settings of a ZOD or PS.C1 by form label (SE-06, SE-07).
import { isList, type ItemList, type Section } from "@psp/contract/section/field.ts";
import { sectionsOf } from "@psp/contract/section/sections.ts";
import { idOf, itemsById, valueAt } from "@psp/contract/section/values.ts";
import type { FieldChange, DescribeSectionChanges } from "./changes.ts";
import { historyText as text } from "./history.text.ts";

type Recorded = Readonly<Record<string, unknown>>;

/** The section of an entry, or null. If several sensor types have a section of this name, the one that fits the values best. */
function sectionIn(after: Recorded): Section | null {
  const all = Object.values(sectionsOf).flat();
  const named = all.filter(({ key }) => key === after["section"]);
  const lacking = ({ parts }: Section) =>
    parts.filter(({ path }) => valueAt(after["values"], path) === undefined).length;
  return named.toSorted((a, b) => lacking(a) - lacking(b))[0] ?? null;
}

/** If the previous values are unknown, returns only the section's name. Returns null for entries that are not about sections. */
export const describeSectionChanges: DescribeSectionChanges = (before, after) => {
  const section = after["values"] === undefined ? null : sectionIn(after);
  if (section === null) return null;
  const [was, is] = [before["values"], after["values"]];
  const changes = was === undefined ? [] : section.parts.flatMap((part) => changeOf(part, was, is));
  return [{ field: text.section, after: [section.label] }, ...changes];
};

function changeOf(part: Section["parts"][number], before: unknown, after: unknown): FieldChange[] {
  const [was, is] = [valueAt(before, part.path), valueAt(after, part.path)];
  if (JSON.stringify(was ?? null) === JSON.stringify(is ?? null)) return [];
  if (isList(part)) return [listChange(part, before, after)];
  if (part.kind === "secret") return [{ field: part.label }];
  const wordOf = (value: unknown): string => {
    if (typeof value === "boolean") return value ? text.on : text.off;
    if (part.kind === "choice") return part.options.find((one) => one.value === value)?.label ?? String(value);
    if (Array.isArray(value)) return value.join(", ") || text.none;
    return typeof value === "number" ? String(value) : typeof value === "string" && value !== "" ? value : text.none;
  };
  return [{ field: part.label, before: [wordOf(was)], after: [wordOf(is)] }];
}

/** All items before and after if some were added or removed, else only the changed items. */
function listChange(list: ItemList, before: unknown, after: unknown): FieldChange {
  const [was, is] = [itemsById(before, list.path), itemsById(after, list.path)];
  const nameOf = (item: unknown) => {
    const name = valueAt(item, list.title);
    return typeof name === "string" ? name : (idOf(item) ?? "");
  };
  const names = (items: ReadonlyMap<string, unknown>) => [[...items.values()].map(nameOf).join(", ") || text.none];
  if (String([...was.keys()]) !== String([...is.keys()]))
    return { field: list.label, before: names(was), after: names(is) };
  const others = [...is].filter(([id, item]) => JSON.stringify(item) !== JSON.stringify(was.get(id)));
  return { field: list.label, after: [text.itemsChanged(others.map(([, item]) => nameOf(item)).join(", "))] };
}
