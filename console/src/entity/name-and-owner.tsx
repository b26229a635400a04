// Describes forms of owned objects as data, including the shared fields name and owner.
import { serverErrors } from "@psp/contract/errors.ts";
import { safeName } from "@psp/contract/kit/safe-text.ts";
import { hasForbiddenCharacters } from "@psp/contract/kit/text-bounds.ts";
import { type ComponentType, useState } from "react";
import { CheckedField } from "./CheckedField.tsx";
import type { OwnerChoice } from "./owner-choice.ts";
import { type OwnerRef, OwnerSelect } from "./reference/AccountSelect.tsx";

export type NameAndOwner = { name: string; owner: OwnerRef | null };
/** `others`: a fault of other fields, which these fields show themselves. */
export type NameAndOwnerErrors = { name: string | undefined; owner: string | undefined; others?: string | undefined };

export const hasErrors = (errors: NameAndOwnerErrors) => Object.values(errors).some((error) => error !== undefined);

const nameRule = safeName();

export function validateName(name: string, whenEmpty: string): string | undefined {
  if (name.trim() === "") return whenEmpty;
  if (hasForbiddenCharacters(name)) return serverErrors.invalidInput.message;
  const parsed = nameRule.safeParse(name);
  return parsed.success ? undefined : parsed.error.issues[0]?.message;
}

type NameAndOwnerFieldsProps = {
  text: { name: string; owner: string; nameHint?: string };
  values: NameAndOwner;
  onName: (name: string) => void;
  onOwner: (owner: OwnerRef | null) => void;
  errors: NameAndOwnerErrors;
  /** After the first attempt to submit, all errors are shown; before, only those of blurred fields. */
  submitted: boolean;
  readOnly: boolean;
  owners: OwnerChoice;
  /** An identifier: no spell checking or capitalization. */
  isSign?: boolean;
};

export function NameAndOwnerFields(props: NameAndOwnerFieldsProps) {
  const { text, values, errors, submitted, readOnly, isSign = false } = props;
  const [isOwnerLeft, setOwnerLeft] = useState(false);
  return (
    <>
      <CheckedField
        label={text.name}
        value={values.name}
        onChange={props.onName}
        submitted={submitted}
        error={errors.name}
        helperText={readOnly ? undefined : text.nameHint}
        slotProps={{ input: { readOnly }, ...(isSign && { htmlInput: { spellCheck: false, autoCapitalize: "none" } }) }}
      />
      <div onBlur={() => setOwnerLeft(true)}>
        <OwnerSelect
          label={text.owner}
          value={values.owner}
          onChange={props.onOwner}
          owners={props.owners}
          error={submitted || isOwnerLeft ? errors.owner : undefined}
          readOnly={readOnly}
        />
      </div>
    </>
  );
}

export type OwnedValues = NameAndOwner & Record<string, unknown>;

export type OwnedFieldsProps<R, V extends OwnedValues> = {
  row: R;
  saved: V;
  values: V;
  changed: readonly (keyof V & string)[];
  set: <K extends keyof V & string>(name: K, value: V[K]) => void;
  errors: NameAndOwnerErrors;
  submitted: boolean;
  readOnly: boolean;
  owners: OwnerChoice;
};

type FormParts<R, V extends OwnedValues> = {
  errorsOf: (values: V, changed?: readonly (keyof V & string)[]) => NameAndOwnerErrors;
  Fields: ComponentType<OwnedFieldsProps<R, V>>;
};
export type NewForm<V extends OwnedValues> = FormParts<undefined, V>;
export type EditForm<R, V extends OwnedValues, Change> = FormParts<R, V> & {
  toFields: (row: R) => V;
  toChange: (values: V, changed: readonly (keyof V & string)[]) => Change;
};

export function toNameAndOwnerChange({ name, owner }: NameAndOwner, changed: readonly string[]) {
  return {
    ...(changed.includes("name") ? { name: name.trim() } : {}),
    ...(changed.includes("owner") && owner !== null ? { owner: owner.id } : {}),
  };
}

export const toOwnerRef = ({ owner }: { owner: { _id: string; name: string } }): OwnerRef => ({
  id: owner._id,
  name: owner.name,
});
