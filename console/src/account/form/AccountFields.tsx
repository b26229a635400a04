// Name and role of an account as fields, with the rules and hints that creating and editing share (spec 1 §5).
import type { Role } from "@psp/contract/role/role.ts";
import TextField from "@mui/material/TextField";
import { useState } from "react";
import { RoleSelect, useRoleChoices } from "../../entity/reference/RoleSelect.tsx";
import { nameProblem } from "../../entity/name-and-owner.tsx";
import { accountText } from "../account.text.ts";

export type RoleRef = { id: string; name: string };

/** What is wrong with the name, or undefined. */
export const nameError = (name: string) => nameProblem(name, accountText.nameRequired);

export type Assignable = {
  /** False while they are looked up; when that fails, the select says so. */
  ready: boolean;
  /** No role can be seen at all. */
  noRole: boolean;
  none: boolean;
  /** The one and only role that can be given. */
  only: Role | undefined;
};

/** For an account that can't be given any, whatever roles there are. */
export const noneAssignable: Assignable = { ready: true, noRole: false, none: true, only: undefined };

/** Which roles can be given, as far as the form has to know. `allow` must be stable. */
export function useAssignable(allow: (role: Role) => boolean): Assignable {
  const { data, isFetched } = useRoleChoices();
  if (data === undefined) return { ready: isFetched, noRole: false, none: false, only: undefined };
  // Beyond the first 500 nobody counts; then the select finds them by name.
  const complete = data.total <= data.objects.length;
  const givable = data.objects.filter(allow);
  return {
    ready: true,
    noRole: data.total === 0,
    none: complete && givable.length === 0,
    only: complete && givable.length === 1 ? givable[0] : undefined,
  };
}

type NameFieldProps = { value: string; onChange: (name: string) => void; submitted: boolean; readOnly?: boolean };

export function NameField({ value, onChange, submitted, readOnly = false }: NameFieldProps) {
  const [left, setLeft] = useState(false);
  const error = submitted || left ? nameError(value) : undefined;
  return (
    <TextField
      label={accountText.name}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onBlur={() => setLeft(true)}
      error={error !== undefined}
      helperText={error}
      autoComplete="off"
      required
      slotProps={{ input: { readOnly } }}
    />
  );
}

type RoleFieldProps = {
  value: RoleRef | null;
  onChange: (role: RoleRef | null) => void;
  allow: (role: Role) => boolean;
  assignable: Assignable;
  submitted: boolean;
  readOnly?: boolean;
  disabled?: boolean;
  hint?: string | undefined;
};

export function RoleField(props: RoleFieldProps) {
  const { value, onChange, allow, assignable, submitted, readOnly = false, disabled = false, hint } = props;
  const { none, only } = assignable;
  const why = none
    ? accountText.cantAssignAny
    : only !== undefined && (value === null || value.id === only._id)
      ? accountText.cantAssignOther
      : undefined;
  return (
    <RoleSelect
      label={accountText.role}
      value={value?.id ?? null}
      valueName={value?.name}
      onChange={(id, name) => onChange(id === null ? null : { id, name })}
      allow={allow}
      error={submitted && value === null ? accountText.roleRequired : undefined}
      helperText={readOnly ? hint : (why ?? hint)}
      readOnly={readOnly || none}
      disabled={disabled}
      clearable={false}
      required
    />
  );
}
