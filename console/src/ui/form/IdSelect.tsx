// A search select for those who keep ids: it finds the name that belongs to the chosen one.
import type { ComponentProps } from "react";
import { SearchSelect } from "./SearchSelect.tsx";

/** What a select of some noun leaves to whoever uses it. */
export type IdSelectField = {
  label: string;
  /** Id of the chosen one. */
  value: string | null;
  /** Its name where it is known already. */
  valueName?: string | undefined;
  onChange: (id: string | null, name: string) => void;
  id?: string;
  error?: string | undefined;
  helperText?: string | undefined;
  readOnly?: boolean;
  disabled?: boolean;
  clearable?: boolean;
  required?: boolean;
  placeholder?: string;
};

type IdSelectProps = IdSelectField &
  Pick<
    ComponentProps<typeof SearchSelect>,
    "options" | "total" | "loading" | "failed" | "onRetry" | "onSearch" | "onOpen" | "onClose"
  > & {
    /** The chosen one's name as it was looked up, for when it is not among the options. */
    found: string | undefined;
  };

/** Props: those of a field, `options`, `found`, `onSearch`, `total?`, `loading?`, `failed?`, `onRetry?`, `onOpen?`, `onClose?`. */
export function IdSelect({ value, valueName, found, onChange, ...search }: IdSelectProps) {
  const label = valueName ?? search.options.find((option) => option.id === value)?.label ?? found ?? "…";
  return (
    <SearchSelect
      {...search}
      value={value === null ? null : { id: value, label }}
      onChange={(option) => onChange(option?.id ?? null, option?.label ?? "")}
    />
  );
}
