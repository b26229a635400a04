// Choosing the owner of something: one account, always, among those that may own it (spec 1 §5).
import type { OwnerChoice } from "../owner-choice.ts";
import { AccountSelect } from "./AccountSelect.tsx";

export type OwnerRef = { id: string; name: string };

type OwnerSelectProps = {
  id?: string;
  label: string;
  value: OwnerRef | null;
  onChange: (owner: OwnerRef | null) => void;
  owners: OwnerChoice;
  error?: string | undefined;
  readOnly: boolean;
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
