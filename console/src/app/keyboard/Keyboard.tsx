// Keys that work everywhere: "/" to the search box, "?" for this list, Ctrl or ⌘ and K for going anywhere. Single keys can be switched off.
import { useEffect, useLayoutEffect, useState } from "react";
import { loadPiece } from "../../address/loadPiece.ts";
import { LazyDialog } from "../../ui/feedback/LazyDialog.tsx";

const loadPalette = async () => (await loadPiece("Palette", () => import("./Palette.tsx"))).Palette;
const loadShortcuts = async () =>
  (await loadPiece("ShortcutsDialog", () => import("./ShortcutsDialog.tsx"))).ShortcutsDialog;

const offKey = "psp-single-keys-off";

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest("input, textarea, select, [contenteditable=true], [role=dialog], [role=menu]") !== null
  );
}

/** Listens as soon as it is there, whatever else is still on its way; what its keys open is loaded apart. */
export function Keyboard() {
  const [open, setOpen] = useState<"help" | "palette" | null>(null);
  // It stays while it closes.
  const [helped, setHelped] = useState(false);
  const [off, setOff] = useState(() => localStorage.getItem(offKey) !== null);
  // People who press Ctrl and K type on at once: the palette is fetched before it is wanted.
  useEffect(() => {
    for (const load of [loadPalette, loadShortcuts]) void load().catch(() => undefined);
  }, []);
  // Before the page of the same moment is painted: keys go to what is on the screen.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
        event.preventDefault();
        setOpen("palette");
        return;
      }
      if (off || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "?") {
        setOpen("help");
        setHelped(true);
      } else if (event.key === "/") {
        event.preventDefault();
        seekSearch();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [off]);
  const onSingleKeys = (on: boolean) => {
    setOff(!on);
    if (on) localStorage.removeItem(offKey);
    else localStorage.setItem(offKey, "1");
  };
  const onClose = () => setOpen(null);
  return (
    <>
      {helped ? (
        <LazyDialog
          load={loadShortcuts}
          onClose={() => setHelped(false)}
          show={{ open: open === "help", onClose, singleKeys: !off, onSingleKeys }}
        />
      ) : null}
      {open === "palette" ? <LazyDialog load={loadPalette} onClose={onClose} show={{ onClose }} /> : null}
    </>
  );
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
