// What is asked before a section is saved, and what of its values stays behind: questions of switches, and secrets.
import { type Field, isList, type ItemList, type Section, type SwitchField, type Values } from "./field.ts";
import { doesApply, isTree, itemsAt, itemsById, scopeOf, valueAt, withoutValueAt, withValueAt } from "./values.ts";

type Question = NonNullable<SwitchField["offAsks"]>;
/** `confirm`: the change may cut the connection. */
export type Saving = { confirm: boolean; asks: readonly Question[] };

/** Looks at the fields that were changed and apply before or after. */
export function savingOf(section: Section, before: Values, after: Values): Saving {
  const changed = section.parts.flatMap((part) =>
    isList(part) ? changedInItems(part, before, after) : changedFields([part], before, after, before, after),
  );
  return {
    confirm: changed.some(({ field }) => field.mark === "confirm"),
    asks: changed.flatMap(({ field, value }) =>
      field.kind === "switch" && value === false && field.offAsks !== undefined ? [field.offAsks] : [],
    ),
  };
}

type Changed = { field: Field; value: unknown };

function changedFields(
  fields: readonly Field[],
  before: Values,
  after: Values,
  itemBefore: unknown,
  itemAfter: unknown,
): Changed[] {
  return fields.flatMap((field) => {
    const value = valueAt(itemAfter, field.path);
    if (isSame(valueAt(itemBefore, field.path), value)) return [];
    const applies = doesApply(field, scopeOf(before, itemBefore)) || doesApply(field, scopeOf(after, itemAfter));
    return applies ? [{ field, value }] : [];
  });
}

/** An item that is new or gone has changed in all its fields. */
function changedInItems({ path, fields }: ItemList, before: Values, after: Values): Changed[] {
  const [old, fresh] = [itemsById(before, path), itemsById(after, path)];
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((id) =>
    changedFields(fields, before, after, old.get(id), fresh.get(id)),
  );
}

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((inner, n) => isSame(inner, other[n]));
  if (!isTree(one) || !isTree(other)) return one === other;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isSame(valueAt(one, key), valueAt(other, key)));
}

/** The values without any secret, for the audit trail and for what is stored; `…Set` stays. */
export function withoutSecrets(section: Section, values: Values): Values {
  return section.parts.reduce<Values>((left, part) => {
    if (!isList(part)) return part.kind === "secret" ? withoutValueAt(left, part.path) : left;
    const secrets = part.fields.filter(({ kind }) => kind === "secret");
    if (secrets.length === 0 || !Array.isArray(valueAt(left, part.path))) return left;
    const items = itemsAt(left, part.path).map((item) =>
      isTree(item) ? secrets.reduce<Values>((rest, { path }) => withoutValueAt(rest, path), item) : item,
    );
    return withValueAt(left, part.path, items);
  }, values);
}
