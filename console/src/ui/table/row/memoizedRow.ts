// Memoization of rows whose actions are new objects on every render.
import type { RefObject } from "react";
import type { RowAction } from "../columns.ts";
import type { ListView } from "../listView.ts";

/** Calls the page's latest handler on click, because the row may have been rendered with an older one. */
export function withLatestHandler<Of>(action: RowAction, row: Of, latest: RefObject<ListView<Of>>): RowAction {
  const onClick = () =>
    latest.current.props
      .rowActions?.(row)
      .find(({ label }) => label === action.label)
      ?.onClick?.();
  return { ...action, onClick };
}

type RowProps = { actions: readonly RowAction[] | undefined };

/** Comparison for `memo`: all props are equal, and actions look the same. */
export function areRowPropsEqual<P extends RowProps>(
  { actions, ...before }: P,
  { actions: now, ...after }: P,
): boolean {
  const keys = Object.keys(before) as (keyof typeof before)[];
  return keys.every((key) => before[key] === after[key]) && areActionsEqual(actions, now);
}

const visibleActionProps = ["label", "text", "danger", "disabledReason", "href"] as const;

function areActionsEqual(before: readonly RowAction[] | undefined, now: readonly RowAction[] | undefined): boolean {
  if (before === now) return true;
  if (before === undefined || before.length !== now?.length) return false;
  return before.every((action, index) => visibleActionProps.every((part) => action[part] === now[index]?.[part]));
}
