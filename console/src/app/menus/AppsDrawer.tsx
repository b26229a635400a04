// Button for the drawer with sibling applications from the configuration (SH-03).
import AppsRounded from "~icons/ic/round-apps";
import { IconButton } from "@mui/material";
import { useState } from "react";
import { loadChunk } from "../../address/loadChunk.ts";
import { KeepMountedDialog } from "../../ui/feedback/LazyDialog.tsx";
import { appText } from "../app.text.ts";

const loadPanel = () => loadChunk("AppsPanel", () => import("./AppsPanel.tsx")).then((chunk) => chunk.AppsPanel);

export function AppsDrawer() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton aria-label={appText.apps} aria-expanded={open} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <AppsRounded />
      </IconButton>
      <KeepMountedDialog load={loadPanel} show={{ open, onClose: () => setOpen(false) }} />
    </>
  );
}
