// Choosing the owner of something: one account, always, among those that may own it (spec 1 §5).
import type { SelectField } from "../../ui/form/SearchSelect.tsx";
import type { OwnerChoice } from "../owner-choice.ts";
import { AccountSelect } from "./AccountSelect.tsx";

export type OwnerRef = { id: string; name: string };

type OwnerSelectProps = SelectField & {
  value: OwnerRef | null;
  onChange: (owner: OwnerRef | null) => void;
  owners: OwnerChoice;
};

export function OwnerSelect({ value, onChange, owners, ...field }: OwnerSelectProps) {
  return (
    <AccountSelect
      {...field}
      {...owners}
      value={value?.id ?? null}
      valueName={value?.name}
      onChange={(id, name) => onChange(id === null ? null : { id, name })}
      clearable={false}
      required
    />
  );
}
