// Keyboard in a list: one tab stop, arrows move between rows, and after a row is gone the focus goes to its neighbour.
import { useEffect, useRef, useState } from "react";
import type { KeyboardEvent, RefObject } from "react";

const patienceMs = 1500;

export type RowFocus = {
  /** Id of the row in the tab order. */
  active: string | undefined;
  /** Call when anything inside the row gets the focus. */
  onRowFocus: (id: string) => void;
  /** Moves between rows on arrow keys, Home and End; true when the key was used. */
  onMove: (event: KeyboardEvent, id: string) => string | undefined;
};

function rowElement(root: HTMLElement | null, id: string): HTMLElement | null {
  const row = root?.querySelector<HTMLElement>(`[data-row-id="${CSS.escape(id)}"]`) ?? null;
  return row?.querySelector<HTMLElement>("[data-row-focus]") ?? row;
}

/** Roving focus over `ids` inside `root`, whose rows carry `data-row-id`. */
export function useRowFocus(root: RefObject<HTMLElement | null>, ids: readonly string[]): RowFocus {
  const [wanted, setWanted] = useState<string | undefined>(undefined);
  const hadFocus = useRef(false);
  const lastIndex = useRef(0);
  const active =
    wanted !== undefined && ids.includes(wanted) ? wanted : ids[Math.min(lastIndex.current, ids.length - 1)];

  useEffect(() => {
    if (wanted === undefined) return;
    const index = ids.indexOf(wanted);
    if (index >= 0) {
      lastIndex.current = index;
      return;
    }
    const neighbour = ids[Math.min(lastIndex.current, ids.length - 1)];
    setWanted(neighbour);
    if (!hadFocus.current || neighbour === undefined) return;
    // The row may go while its dialog is still closing, which then gives the focus back to nothing.
    const until = Date.now() + patienceMs;
    let frame = 0;
    const seize = () => {
      if (
        document.activeElement === document.body &&
        document.querySelector('[role="dialog"], [role="alertdialog"]') === null
      ) {
        rowElement(root.current, neighbour)?.focus();
      } else if (Date.now() < until) {
        frame = requestAnimationFrame(seize);
      }
    };
    frame = requestAnimationFrame(seize);
    return () => cancelAnimationFrame(frame);
  }, [ids, wanted, root]);

  // Focus that moves to another control of the page releases the list; focus lost to a dialog or to nothing doesn't.
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
    active,
    onRowFocus: setWanted,
    onMove: (event, id) => {
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
