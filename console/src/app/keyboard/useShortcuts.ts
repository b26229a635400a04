// Keys that work everywhere, from the first moment: "/" to the search box, "?" for the list of keys, Ctrl or ⌘ and K for going
// anywhere. Single keys can be switched off.
import { useCallback, useLayoutEffect, useRef, useState } from "react";

export type OpenedByKey = "help" | "palette" | null;

export type Shortcuts = {
  open: OpenedByKey;
  setOpen: (open: OpenedByKey) => void;
  /** What was typed for the search before it was there. */
  early: () => string;
  /** Keys that work without another one held. */
  singleKeys: boolean;
  setSingleKeys: (on: boolean) => void;
};

const offKey = "psp-single-keys-off";

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest("input, textarea, select, [contenteditable=true], [role=dialog], [role=menu]") !== null
  );
}

const isLetter = (event: KeyboardEvent) => event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;

/** `listens` while somebody is signed in. What the keys open may still be on its way: it opens as soon as it is there. */
export function useShortcuts(listens: boolean): Shortcuts {
  const [open, setOpen] = useState<OpenedByKey>(null);
  const typed = useRef("");
  const early = useCallback(() => typed.current, []);
  const [singleKeys, setSingleKeys] = useState(() => localStorage.getItem(offKey) === null);
  // Before the page of the same moment is painted: keys go to what is on the screen.
  useLayoutEffect(() => {
    if (!listens) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
        event.preventDefault();
        setOpen("palette");
        return;
      }
      // Who knows the key types on at once; from its first moment the search has the focus.
      if (open === "palette" && isLetter(event) && document.querySelector('[role="dialog"]') === null) {
        event.preventDefault();
        typed.current += event.key;
        return;
      }
      if (!singleKeys || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "?") setOpen("help");
      else if (event.key === "/") {
        event.preventDefault();
        seekSearch();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [listens, open, singleKeys]);
  return {
    open,
    setOpen: (next) => {
      if (next === null) typed.current = "";
      setOpen(next);
    },
    early,
    singleKeys,
    setSingleKeys: (on) => {
      setSingleKeys(on);
      if (on) localStorage.removeItem(offKey);
      else localStorage.setItem(offKey, "1");
    },
  };
}

const seekMs = 3000;
const places = 'main input[inputmode="search"], [role="dialog"] input[inputmode="search"]';

/**
 * Brings the cursor into the page's search box, also when the page is still on its way. Opens the filters when the box is
 * in there; gives up after 3 s, and as soon as the person does something else.
 */
function seekSearch(): void {
  const until = Date.now() + seekMs;
  let frame = 0;
  let asked = false;
  const stop = () => {
    cancelAnimationFrame(frame);
    document.removeEventListener("keydown", stop, true);
    document.removeEventListener("pointerdown", stop, true);
  };
  const look = () => {
    const box = document.querySelector<HTMLInputElement>(places);
    box?.focus();
    if ((box !== null && document.activeElement === box) || Date.now() > until) return stop();
    if (box === null && !asked) asked = openFilters();
    frame = requestAnimationFrame(look);
  };
  document.addEventListener("keydown", stop, true);
  document.addEventListener("pointerdown", stop, true);
  look();
}

/** False when there are none to be opened. */
function openFilters(): boolean {
  const button = [...document.querySelectorAll<HTMLElement>("main button[aria-expanded=false]")].find((one) =>
    one.textContent?.startsWith("Filters"),
  );
  button?.click();
  return button !== undefined;
}
