// Global shortcuts: "/" focuses the search, "?" lists the shortcuts, Ctrl+K or ⌘K opens the palette.
import { useCallback, useLayoutEffect, useRef, useState } from "react";

export type GlobalDialog = "help" | "palette" | null;

export type Shortcuts = {
  open: GlobalDialog;
  setOpen: (open: GlobalDialog) => void;
  /** Text typed before the palette was loaded. */
  typedEarly: () => string;
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

/** `listens` is true while a user is signed in. A dialog opens as soon as its chunk has loaded. */
export function useShortcuts(listens: boolean): Shortcuts {
  const [open, setOpen] = useState<GlobalDialog>(null);
  const typed = useRef("");
  const early = useCallback(() => typed.current, []);
  const [singleKeys, setSingleKeys] = useState(() => localStorage.getItem(offKey) === null);
  // A layout effect, so that keys are handled as soon as the page is painted.
  useLayoutEffect(() => {
    if (!listens) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
        event.preventDefault();
        setOpen("palette");
        return;
      }
      // Collects typing until the palette has loaded and takes the focus.
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
    typedEarly: early,
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

/** Focuses the page's search field once it exists, opening the filters if needed; gives up after 3 s or on other user input. */
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

function openFilters(): boolean {
  const button = [...document.querySelectorAll<HTMLElement>("main button[aria-expanded=false]")].find((one) =>
    one.textContent?.startsWith("Filters"),
  );
  button?.click();
  return button !== undefined;
}
