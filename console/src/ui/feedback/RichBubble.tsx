// The popup of a tooltip with links, next to its button in the DOM, so that Tab reaches the links.
import { Paper, Popper } from "@mui/material";
import type { ReactNode } from "react";

type Props = { id: string; anchor: HTMLElement; children: ReactNode };

export function RichBubble({ id, anchor, children }: Props) {
  return (
    <Popper
      open
      id={id}
      anchorEl={anchor}
      placement="top"
      disablePortal
      // Fixed, so that cards don't clip it.
      popperOptions={{ strategy: "fixed" }}
      sx={{ zIndex: "tooltip" }}
    >
      <Paper elevation={6} sx={{ m: 1, p: 3, maxWidth: 320, fontSize: "0.8125rem", overflowWrap: "anywhere" }}>
        {children}
      </Paper>
    </Popper>
  );
}
