// Checkbox that selects a row, or all rows of a list page. A native input, because MUI's is slow with one per row.
import type { MouseEvent } from "react";
import rows from "../../theme/rows.module.css";

type RowCheckboxProps = {
  /** Accessible name, if no `label` element surrounds it. */
  label?: string;
  checked: boolean;
  /** Whether some, but not all rows of the page are selected. */
  indeterminate?: boolean;
  disabled?: boolean;
  tabIndex?: number;
  onClick: (event: MouseEvent<HTMLInputElement>) => void;
};

export function RowCheckbox({ label, checked, indeterminate = false, disabled = false, ...input }: RowCheckboxProps) {
  return (
    <input
      type="checkbox"
      className={rows["check"]}
      ref={(element) => {
        if (element !== null) element.indeterminate = indeterminate;
      }}
      checked={checked}
      disabled={disabled}
      readOnly
      {...(label !== undefined && { "aria-label": label })}
      {...input}
    />
  );
}
