// The button of the drawer with the sibling applications, whose addresses come from the configuration (SH-03).
import AppsRounded from "~icons/ic/round-apps";
import { IconButton } from "@mui/material";
import { useState } from "react";
import { loadPiece } from "../address/loadPiece.ts";
import { StayingDialog } from "../ui/feedback/LazyDialog.tsx";
import { appText } from "./app.text.ts";

const loadPanel = () => loadPiece("AppsPanel", () => import("./AppsPanel.tsx")).then((piece) => piece.AppsPanel);

export function AppsDrawer() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton aria-label={appText.apps} aria-expanded={open} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <AppsRounded />
      </IconButton>
      <StayingDialog load={loadPanel} show={{ open, onClose: () => setOpen(false) }} />
    </>
  );
}
