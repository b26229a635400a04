// Determines which questions the user must confirm before a section is saved, and removes secrets from values.
import { type Field, isList, type ItemList, type Section, type SwitchField, type Values } from "./field.ts";
import {
  isApplicable,
  isPlainObject,
  itemsAt,
  itemsById,
  toRuleContext,
  valueAt,
  withoutValueAt,
  withValueAt,
} from "./values.ts";

type Question = NonNullable<SwitchField["offQuestion"]>;
/** `confirm` means that the change may cut the connection. */
export type SavePlan = { confirm: boolean; questions: readonly Question[] };

/** Considers only fields that have changed and that apply before or after the change. */
export function planSave(section: Section, before: Values, after: Values): SavePlan {
  const changed = section.parts.flatMap((part) =>
    isList(part) ? changedInItems(part, before, after) : changedFields([part], before, after, before, after),
  );
  return {
    confirm: changed.some(({ field }) => field.mark === "confirm"),
    questions: changed.flatMap(({ field, value }) =>
      field.kind === "switch" && value === false && field.offQuestion !== undefined ? [field.offQuestion] : [],
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
    const applies =
      isApplicable(field, toRuleContext(before, itemBefore)) || isApplicable(field, toRuleContext(after, itemAfter));
    return applies ? [{ field, value }] : [];
  });
}

/** Compares items by id. In added and removed items, all fields count as changed. */
function changedInItems({ path, fields }: ItemList, before: Values, after: Values): Changed[] {
  const [old, fresh] = [itemsById(before, path), itemsById(after, path)];
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((id) =>
    changedFields(fields, before, after, old.get(id), fresh.get(id)),
  );
}

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((inner, n) => isSame(inner, other[n]));
  if (!isPlainObject(one) || !isPlainObject(other)) return one === other;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isSame(valueAt(one, key), valueAt(other, key)));
}

/** Removes secrets but keeps the `…Set` flags, for the audit trail and the stored copy. */
export function withoutSecrets(section: Section, values: Values): Values {
  return section.parts.reduce<Values>((left, part) => {
    if (!isList(part)) return part.kind === "secret" ? withoutValueAt(left, part.path) : left;
    const secrets = part.fields.filter(({ kind }) => kind === "secret");
    if (secrets.length === 0 || !Array.isArray(valueAt(left, part.path))) return left;
    const items = itemsAt(left, part.path).map((item) =>
      isPlainObject(item) ? secrets.reduce<Values>((rest, { path }) => withoutValueAt(rest, path), item) : item,
    );
    return withValueAt(left, part.path, items);
  }, values);
}
