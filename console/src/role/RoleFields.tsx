// Name and owner of a role, with their sentences (spec 1 §5).
import {
  type NameAndOwner,
  type NameAndOwnerErrors,
  NameAndOwnerFields,
  nameProblem,
} from "../entity/name-and-owner.tsx";
import type { OwnerRef } from "../entity/reference/OwnerSelect.tsx";
import type { OwnerChoice } from "../entity/owner-choice.ts";
import { roleText } from "./role.text.ts";

/** What is wrong with name and owner. */
export function roleErrors({ name, owner }: NameAndOwner): NameAndOwnerErrors {
  return {
    name: nameProblem(name, roleText.nameRequired),
    owner: owner === null ? roleText.ownerRequired : undefined,
  };
}

type RoleFieldsProps = {
  values: NameAndOwner;
  onName: (name: string) => void;
  onOwner: (owner: OwnerRef | null) => void;
  submitted: boolean;
  readOnly: boolean;
  owners: OwnerChoice;
};

/** Props: see the type. */
export function RoleFields(props: RoleFieldsProps) {
  const { name, owner } = roleText;
  return <NameAndOwnerFields {...props} text={{ name, owner }} errors={roleErrors(props.values)} />;
}
