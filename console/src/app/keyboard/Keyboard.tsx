// Lazily loaded dialogs of global shortcuts: command palette and list of shortcuts.
import { useEffect } from "react";
import { loadChunk } from "../../address/loadChunk.ts";
import { usePath } from "../../address/navigation.tsx";
import { useUser } from "../../api/session/session.tsx";
import { LazyDialog, KeepMountedDialog } from "../../ui/feedback/LazyDialog.tsx";
import { recordRecentObject } from "./recent.ts";
import type { Shortcuts } from "./useShortcuts.ts";

const loadPalette = async () => (await loadChunk("Palette", () => import("./Palette.tsx"))).Palette;
const loadShortcuts = async () =>
  (await loadChunk("ShortcutsDialog", () => import("./ShortcutsDialog.tsx"))).ShortcutsDialog;

/** Whether the user is likely to open the palette: Ctrl or ⌘ held, or pointer at its button. */
function isIntent(event: Event): boolean {
  if (event instanceof KeyboardEvent) return event.key === "Control" || event.key === "Meta";
  return event.target instanceof Element && event.target.closest("[aria-keyshortcuts]") !== null;
}

const intents = ["keydown", "pointerover", "focusin"] as const;

/** Preloads the palette, because users start typing right after the shortcut. */
function usePaletteNear(): void {
  useEffect(() => {
    const onIntent = (event: Event) => {
      if (!isIntent(event)) return;
      stop();
      void loadPalette().catch(() => undefined);
    };
    const stop = () => {
      for (const intent of intents) document.removeEventListener(intent, onIntent, true);
    };
    for (const intent of intents) document.addEventListener(intent, onIntent, { capture: true, passive: true });
    return stop;
  }, []);
}

export function Keyboard({ open, setOpen, typedEarly: early, singleKeys, setSingleKeys }: Shortcuts) {
  const path = usePath();
  const { _id } = useUser();
  useEffect(() => recordRecentObject(_id, path), [_id, path]);
  usePaletteNear();
  const onClose = () => setOpen(null);
  return (
    <>
      <KeepMountedDialog
        load={loadShortcuts}
        show={{ open: open === "help", onClose, singleKeys, onSingleKeys: setSingleKeys }}
      />
      {open === "palette" ? (
        <LazyDialog
          load={loadPalette}
          onClose={onClose}
          show={{ onClose, early, onShortcuts: () => setOpen("help") }}
        />
      ) : null}
    </>
  );
}
