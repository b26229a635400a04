// Choosing the owner of something: one account, always, among those that may own it (spec 1 §5).
import type { OwnerChoice } from "../owner-choice.ts";
import { AccountSelect } from "./AccountSelect.tsx";
import { type Ref, refField } from "./ReferenceSelect.tsx";

export type OwnerRef = Ref;

type OwnerSelectProps = {
  id?: string;
  label: string;
  value: OwnerRef | null;
  onChange: (owner: OwnerRef | null) => void;
  owners: OwnerChoice;
  error?: string | undefined;
  helperText?: string | undefined;
  readOnly: boolean;
};

/** Props: `label`, `value`, `onChange(owner)`, `owners`, `readOnly`, `error?`, `id?`. */
export function OwnerSelect({ value, onChange, owners, ...field }: OwnerSelectProps) {
  return <AccountSelect {...field} {...owners} {...refField(value, onChange)} clearable={false} required />;
}
