// Keyboard navigation of lists: one tab stop, arrow keys move between rows. When a row is removed, the focus moves to its
// neighbor. When the user returns to the list, the focus moves to the row that was opened.
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

const restoreFocusMs = 1500;

function rowElement(root: HTMLElement | null, id: string): HTMLElement | null {
  const row = root?.querySelector<HTMLElement>(`[data-row-id="${CSS.escape(id)}"]`) ?? null;
  return row?.querySelector<HTMLElement>("[data-row-focus]") ?? row;
}

/** Focuses the previously opened row. `data-returned` keeps the page's heading from taking the focus. */
function focusReturnedRow(row: HTMLElement): void {
  const { activeElement: active } = document;
  // The user has already focused something else.
  if (active !== null && active !== document.body && !active.matches("h1, main")) return;
  row.dataset["returned"] = "";
  row.addEventListener("blur", () => delete row.dataset["returned"], { once: true });
  row.focus({ preventScroll: true });
  // Scroll restoration runs when only the first rows are rendered, so this row may be outside the window.
  requestAnimationFrame(() => {
    const { top, bottom } = row.getBoundingClientRect();
    if (top < 0 || bottom > window.innerHeight) row.scrollIntoView({ block: "center" });
  });
}

/** Roving focus over `ids` inside `root`, whose rows have `data-row-id`. */
export function useRowFocus(root: RefObject<HTMLElement | null>, ids: readonly string[], returnTo?: string) {
  const returnTarget = useRef(returnTo);
  useLayoutEffect(() => {
    if (returnTarget.current === undefined || !ids.includes(returnTarget.current)) return;
    const row = rowElement(root.current, returnTarget.current);
    returnTarget.current = undefined;
    if (row !== null) focusReturnedRow(row);
  }, [ids, root]);
  const [wanted, setWanted] = useState<{ id: string; index: number } | undefined>(undefined);
  const hadFocus = useRef(false);
  const position = wanted === undefined ? -1 : ids.indexOf(wanted.id);
  if (wanted !== undefined && position >= 0 && position !== wanted.index) setWanted({ id: wanted.id, index: position });
  const active = position >= 0 ? wanted?.id : ids[Math.min(wanted?.index ?? 0, ids.length - 1)];

  useEffect(() => {
    if (wanted === undefined || ids.includes(wanted.id)) return;
    const neighbor = ids[Math.min(wanted.index, ids.length - 1)];
    if (!hadFocus.current || neighbor === undefined) return;
    // Waits until the dialog that deleted the row has closed; it can't return the focus, because the row is gone.
    const until = Date.now() + restoreFocusMs;
    let frame = 0;
    const restoreFocus = () => {
      if (
        document.activeElement === document.body &&
        document.querySelector('[role="dialog"], [role="alertdialog"]') === null
      ) {
        rowElement(root.current, neighbor)?.focus();
      } else if (Date.now() < until) {
        frame = requestAnimationFrame(restoreFocus);
      }
    };
    frame = requestAnimationFrame(restoreFocus);
    return () => cancelAnimationFrame(frame);
  }, [ids, wanted, root]);

  // Remembers whether the list had the focus last. Dialogs don't count, because they return the focus.
  useEffect(() => {
    const onFocusIn = (event: FocusEvent) => {
      const target = event.target as HTMLElement;
      if (root.current?.contains(target) === true) hadFocus.current = true;
      else if (target.closest('[role="dialog"], [role="alertdialog"], [role="presentation"]') === null)
        hadFocus.current = false;
    };
    document.addEventListener("focusin", onFocusIn);
    return () => document.removeEventListener("focusin", onFocusIn);
  }, [root]);

  return {
    /** Id of the row in the tab order. */
    active,
    /** Call when the row or anything inside it gets the focus. */
    onRowFocus: (id: string) => setWanted({ id, index: ids.indexOf(id) }),
    /** Moves between rows on arrow keys, Home and End; returns the id of the new row. */
    onMove: (event: KeyboardEvent, id: string) => {
      const index = ids.indexOf(id);
      const targets: Record<string, number> = {
        ArrowDown: index + 1,
        ArrowUp: index - 1,
        Home: 0,
        End: ids.length - 1,
      };
      const target = ids[targets[event.key] ?? -1];
      if (target === undefined || target === id) return undefined;
      event.preventDefault();
      rowElement(root.current, target)?.focus();
      return target;
    },
  };
}

export type RowFocus = ReturnType<typeof useRowFocus>;
