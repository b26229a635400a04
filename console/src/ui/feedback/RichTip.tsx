// A tooltip with links, reachable by pointer and keyboard; Escape hides it (WCAG 1.4.13).
import { Box, ButtonBase } from "@mui/material";
import { type ReactNode, Suspense, useId, useState } from "react";
import { useTimer } from "../form/useDebounced.ts";
import { lazyOptional } from "./lazyOptional.ts";
import { isPointerEnter } from "./Tip.tsx";

/** Loads when the first tooltip with links opens. */
const RichBubble = lazyOptional(() => import("./RichBubble.tsx").then(({ RichBubble }) => RichBubble));

const openMs = 200;
/** Long enough for the pointer to reach the tooltip. */
const closeMs = 150;

type RichTipProps = {
  /** The visible text, which becomes a button. */
  children: ReactNode;
  /** Shown on hover, focus or press. */
  content: ReactNode;
};

export function RichTip({ children, content }: RichTipProps) {
  const id = useId();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [open, setOpen] = useState(false);
  const { start, stop } = useTimer();
  const soon = (next: boolean, afterMs: number) => start(() => setOpen(next), afterMs);
  return (
    <Box
      component="span"
      ref={setAnchor}
      sx={{ display: "inline-flex", maxWidth: 1 }}
      onPointerOver={(event) =>
        event.pointerType !== "touch" && isPointerEnter(event) ? soon(true, openMs) : undefined
      }
      onPointerLeave={({ pointerType }) => (pointerType === "touch" ? undefined : soon(false, closeMs))}
      onFocus={({ target }) => (target.matches(":focus-visible") ? soon(true, 0) : undefined)}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) soon(false, 0);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.stopPropagation();
        // Cancels a pending open.
        stop();
        setOpen(false);
      }}
    >
      <ButtonBase
        aria-expanded={open}
        {...(open ? { "aria-describedby": id } : {})}
        onClick={() => soon(true, 0)}
        sx={{ font: "inherit", textAlign: "left", borderRadius: 1, minHeight: 24, maxWidth: 1 }}
      >
        {children}
      </ButtonBase>
      {open && anchor !== null ? (
        <Suspense>
          <RichBubble id={id} anchor={anchor}>
            {content}
          </RichBubble>
        </Suspense>
      ) : null}
    </Box>
  );
}
