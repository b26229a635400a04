// The checkbox of a row, and that of a whole page of rows: the browser's own, because a list has one in every row.
import type { MouseEvent } from "react";
import rows from "../../theme/rows.module.css";

type RowCheckboxProps = {
  /** Its name, where no label around it has one. */
  label?: string;
  checked: boolean;
  /** Some of what it stands for are chosen. */
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
