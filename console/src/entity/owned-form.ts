// The form of a noun whose objects belong to accounts, as data: fields to and from the object, what is wrong, how it is shown.
import type { ComponentType } from "react";
import type { NameAndOwner, NameAndOwnerErrors } from "./name-and-owner.tsx";
import type { OwnerChoice } from "./owner-choice.ts";
import type { OwnerRef } from "./reference/OwnerSelect.tsx";

export type OwnedValues = NameAndOwner & Record<string, unknown>;

export type OwnedFieldsProps<R, V extends OwnedValues> = {
  /** Undefined for what is being created. */
  row: R;
  /** As it is saved. */
  saved: V;
  values: V;
  changed: readonly (keyof V & string)[];
  set: <K extends keyof V & string>(name: K, value: V[K]) => void;
  errors: NameAndOwnerErrors;
  /** Everything that is wrong is shown; until then only where a field was left. */
  submitted: boolean;
  readOnly: boolean;
  owners: OwnerChoice;
};

type FormParts<R, V extends OwnedValues> = {
  /** `changed` is undefined for what is being created. */
  errorsOf: (values: V, changed?: readonly (keyof V & string)[]) => NameAndOwnerErrors;
  Fields: ComponentType<OwnedFieldsProps<R, V>>;
};
export type NewForm<V extends OwnedValues> = FormParts<undefined, V>;
export type EditForm<R, V extends OwnedValues, Change> = FormParts<R, V> & {
  toFields: (row: R) => V;
  /** Only what was changed. */
  toChange: (values: V, changed: readonly (keyof V & string)[]) => Change;
};

/** Name and owner as far as they were changed. */
export function nameAndOwnerChange({ name, owner }: NameAndOwner, changed: readonly string[]) {
  return {
    ...(changed.includes("name") ? { name: name.trim() } : {}),
    ...(changed.includes("owner") && owner !== null ? { owner: owner.id } : {}),
  };
}

export const ownerRef = ({ owner }: { owner: { _id: string; name: string } }): OwnerRef => ({
  id: owner._id,
  name: owner.name,
});
