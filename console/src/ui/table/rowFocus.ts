// Keyboard in a list: one tab stop, arrows move between rows; after a row is gone the focus goes to its neighbor, and who comes
// back to the list finds it on the row that was opened.
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

const seizeMs = 1500;

function rowElement(root: HTMLElement | null, id: string): HTMLElement | null {
  const row = root?.querySelector<HTMLElement>(`[data-row-id="${CSS.escape(id)}"]`) ?? null;
  return row?.querySelector<HTMLElement>("[data-row-focus]") ?? row;
}

/** Focuses a row that was opened before; marked, so that the heading of the page doesn't take the focus from it. */
function comeBack(row: HTMLElement): void {
  const { activeElement: active } = document;
  // Somebody works elsewhere already.
  if (active !== null && active !== document.body && !active.matches("h1, main")) return;
  row.dataset["returned"] = "";
  row.addEventListener("blur", () => delete row.dataset["returned"], { once: true });
  row.focus({ preventScroll: true });
  // The place of the page is put back with its first rows; later ones were not there to scroll to.
  requestAnimationFrame(() => {
    const { top, bottom } = row.getBoundingClientRect();
    if (top < 0 || bottom > window.innerHeight) row.scrollIntoView({ block: "center" });
  });
}

/** Roving focus over `ids` inside `root`, whose rows carry `data-row-id`. */
export function useRowFocus(root: RefObject<HTMLElement | null>, ids: readonly string[], returnTo?: string) {
  const awaited = useRef(returnTo);
  useLayoutEffect(() => {
    if (awaited.current === undefined || !ids.includes(awaited.current)) return;
    const row = rowElement(root.current, awaited.current);
    awaited.current = undefined;
    if (row !== null) comeBack(row);
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
    // The row may go while its dialog is still closing, which then gives the focus back to nothing.
    const until = Date.now() + seizeMs;
    let frame = 0;
    const seize = () => {
      if (
        document.activeElement === document.body &&
        document.querySelector('[role="dialog"], [role="alertdialog"]') === null
      ) {
        rowElement(root.current, neighbor)?.focus();
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
    /** Id of the row in the tab order. */
    active,
    /** Call when anything inside the row gets the focus. */
    onRowFocus: (id: string) => setWanted({ id, index: ids.indexOf(id) }),
    /** Moves between rows on arrow keys, Home and End; answers the id moved to. */
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
