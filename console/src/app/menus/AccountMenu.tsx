// Account menu in the header: user, account, appearance, logout and version (SH-06).
import PersonRounded from "~icons/ic/round-person";
import { Avatar, IconButton } from "@mui/material";
import { useState } from "react";
import { loadChunk } from "../../address/loadChunk.ts";
import { KeepMountedDialog } from "../../ui/feedback/LazyDialog.tsx";
import { appText } from "../app.text.ts";

const loadPanel = () =>
  loadChunk("AccountMenuPanel", () => import("./AccountMenuPanel.tsx")).then((chunk) => chunk.AccountMenuPanel);
const loadSoon = () => void loadPanel().catch(() => undefined);

export function AccountMenu() {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton
        aria-label={appText.accountMenu}
        aria-haspopup="menu"
        aria-expanded={open}
        onPointerEnter={loadSoon}
        onFocus={loadSoon}
        onClick={(event) => {
          setAnchor(event.currentTarget);
          setOpen(true);
        }}
        sx={{ p: 1, borderRadius: 20 }}
      >
        <Avatar aria-hidden sx={{ width: 30, height: 30, bgcolor: "primary.main", color: "primary.contrastText" }}>
          <PersonRounded sx={{ color: "inherit" }} />
        </Avatar>
      </IconButton>
      <KeepMountedDialog load={loadPanel} show={{ anchor, open, onClose: () => setOpen(false) }} />
    </>
  );
}
