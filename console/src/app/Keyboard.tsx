// Keys that work everywhere: "/" to the search box, "?" for this list, Ctrl or ⌘ and K for going anywhere. Single keys can be switched off.
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import FormControlLabel from "@mui/material/FormControlLabel";
import Switch from "@mui/material/Switch";
import { styled } from "@mui/material/styles";
import { lazy, Suspense, useEffect, useState } from "react";
import { monoFont } from "../theme/theme.ts";
import { appText } from "./app.text.ts";
import { loadPiece } from "./lazyPage.ts";

const loadPalette = () => loadPiece("Palette", () => import("./Palette.tsx"));
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }));

const offKey = "psp-single-keys-off";

const Key = styled("kbd")(({ theme }) => ({
  fontFamily: monoFont,
  fontSize: "0.75rem",
  padding: "1px 6px",
  borderRadius: 4,
  border: `1px solid ${theme.vars.palette.divider}`,
  backgroundColor: theme.vars.palette.background.default,
}));

const shortcuts: readonly (readonly [keys: readonly string[], does: string])[] = [
  [["Ctrl", "K"], "Go to any page, sensor or location"],
  [["/"], "Search or filter the list"],
  [["↑", "↓"], "Move between the rows of a list"],
  [["Enter"], "Open the row"],
  [["Esc"], "Close a dialog or menu"],
  [["?"], "Show this list"],
];

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest("input, textarea, select, [contenteditable=true], [role=dialog], [role=menu]") !== null
  );
}

/** Puts the cursor into the page's search box, opening the filters when it is in there. */
function focusSearch(): void {
  const box = () =>
    document.querySelector<HTMLInputElement>(
      'main input[inputmode="search"], [role="dialog"] input[inputmode="search"]',
    );
  if (box() === null)
    [...document.querySelectorAll<HTMLElement>("main button[aria-expanded=false]")]
      .find((one) => one.textContent?.startsWith("Filters"))
      ?.click();
  requestAnimationFrame(() => box()?.focus());
}

export function Keyboard() {
  const [open, setOpen] = useState<"help" | "palette" | null>(null);
  const [off, setOff] = useState(() => localStorage.getItem(offKey) !== null);
  // Whoever presses Ctrl and K types on at once: the palette is fetched before it is wanted.
  useEffect(() => void loadPalette().catch(() => undefined), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
        event.preventDefault();
        setOpen("palette");
        return;
      }
      if (off || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "?") setOpen("help");
      else if (event.key === "/") {
        event.preventDefault();
        focusSearch();
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [off]);
  return (
    <>
      <Dialog
        open={open === "help"}
        onClose={() => setOpen(null)}
        fullWidth
        slotProps={{ paper: { sx: { maxWidth: 420 } } }}
        aria-labelledby="shortcuts-title"
      >
        <DialogTitle id="shortcuts-title">{appText.shortcuts}</DialogTitle>
        <DialogContent>
          <Box
            component="dl"
            sx={{
              m: 0,
              display: "grid",
              gridTemplateColumns: "auto 1fr",
              columnGap: 4,
              rowGap: 2,
              alignItems: "center",
            }}
          >
            {shortcuts.map(([keys, does]) => (
              <Box key={does} sx={{ display: "contents" }}>
                <Box component="dt" sx={{ display: "flex", gap: 1 }}>
                  {keys.map((key) => (
                    <Key key={key}>{key}</Key>
                  ))}
                </Box>
                <Box component="dd" sx={{ m: 0 }}>
                  {does}
                </Box>
              </Box>
            ))}
          </Box>
          <FormControlLabel
            sx={{ mt: 4 }}
            label="Single-key shortcuts"
            control={
              <Switch
                checked={!off}
                onChange={(_, on) => {
                  setOff(!on);
                  if (on) localStorage.removeItem(offKey);
                  else localStorage.setItem(offKey, "1");
                }}
              />
            }
          />
        </DialogContent>
        <DialogActions>
          <Button variant="outlined" color="inherit" onClick={() => setOpen(null)}>
            Close
          </Button>
        </DialogActions>
      </Dialog>
      {open === "palette" ? (
        <Suspense>
          <Palette onClose={() => setOpen(null)} />
        </Suspense>
      ) : null}
    </>
  );
}
