// The button of the drawer with the sibling applications, whose addresses come from the configuration (SH-03).
import AppsRounded from "@mui/icons-material/AppsRounded";
import { IconButton } from "@mui/material";
import { useState } from "react";
import { loadPiece } from "../address/loadPiece.ts";
import { LazyDialog } from "../ui/feedback/LazyDialog.tsx";
import { appText } from "./app.text.ts";

const loadPanel = () => loadPiece("AppsPanel", () => import("./AppsPanel.tsx")).then((piece) => piece.AppsPanel);

export function AppsDrawer() {
  const [open, setOpen] = useState(false);
  // It slides away, too.
  const [used, setUsed] = useState(false);
  const close = () => setOpen(false);
  // Where it can't be had, it says so itself until it is closed.
  const giveUp = () => {
    setUsed(false);
    close();
  };
  return (
    <>
      <IconButton
        aria-label={appText.apps}
        aria-expanded={open}
        aria-haspopup="dialog"
        onClick={() => {
          setOpen(true);
          setUsed(true);
        }}
      >
        <AppsRounded />
      </IconButton>
      {used ? <LazyDialog load={loadPanel} onClose={giveUp} show={{ open, onClose: close }} /> : null}
    </>
  );
}
