// Checkbox of a row or a page: native, because lists have one per row.
import type { MouseEvent } from "react";
import rows from "../../theme/rows.module.css";

type RowCheckboxProps = {
  /** Accessible name, if no `label` element surrounds it. */
  label?: string;
  checked: boolean;
  /** Whether some but not all of its rows are selected. */
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
