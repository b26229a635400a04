// When a row that was drawn need not be drawn again, and how its actions reach the page as it is now.
import type { RefObject } from "react";
import type { RowAction } from "../columns.ts";
import type { ListView } from "../listView.ts";

/** The action as the page means it when it is clicked, not when the row was drawn. */
export function currentAction<Of>(action: RowAction, row: Of, latest: RefObject<ListView<Of>>): RowAction {
  const onClick = () =>
    latest.current.props
      .rowActions?.(row)
      .find(({ label }) => label === action.label)
      ?.onClick?.();
  return { ...action, onClick };
}

type Drawn = { actions: readonly RowAction[] | undefined };

/** For `memo`: everything is the same but the actions, and those look the same. */
export function isSameRow<P extends Drawn>({ actions, ...before }: P, { actions: now, ...after }: P): boolean {
  const keys = Object.keys(before) as (keyof typeof before)[];
  return keys.every((key) => before[key] === after[key]) && looksSame(actions, now);
}

const actionParts = ["label", "text", "danger", "disabledReason", "href"] as const;

function looksSame(before: readonly RowAction[] | undefined, now: readonly RowAction[] | undefined): boolean {
  if (before === now) return true;
  if (before === undefined || before.length !== now?.length) return false;
  return before.every((action, index) => actionParts.every((part) => action[part] === now[index]?.[part]));
}
