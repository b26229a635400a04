// A tooltip that costs nothing until it is needed: lists hold hundreds of them. Shows on hover and on keyboard focus, Escape hides it.
import { Popper } from "@mui/material";
import { styled } from "@mui/material/styles";
import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useEffectEvent, useId, useState } from "react";
import { useTimer } from "../form/useDebounced.ts";

const Bubble = styled("div")(({ theme }) => ({
  backgroundColor: "#1d2827",
  color: "#f3f7f6",
  fontSize: "0.75rem",
  lineHeight: "16px",
  padding: "6px 8px",
  borderRadius: 5,
  maxWidth: 320,
  margin: 4,
  overflowWrap: "anywhere",
  ...theme.applyStyles("dark", { backgroundColor: "#2c3938" }),
}));

/** Escape pressed anywhere, while `listens`. */
export function useEscape(listens: boolean, onEscape: () => void): void {
  const onKey = useEffectEvent(({ key }: KeyboardEvent) => key === "Escape" && onEscape());
  useEffect(() => {
    if (!listens) return;
    const listener = (event: KeyboardEvent) => void onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, [listens]);
}

/**
 * Handlers for the element and the tooltip to render beside it. `read` is asked when the tooltip is about to open;
 * undefined means there is nothing to say (text that isn't cut, a control that isn't off).
 */
export function useTip(read: (element: HTMLElement) => ReactNode | undefined, delayMs = 300) {
  const id = useId();
  const [shown, setShown] = useState<{ anchor: HTMLElement; content: ReactNode } | null>(null);
  const { start, stop } = useTimer();
  useEscape(shown !== null, () => setShown(null));

  const open = (anchor: HTMLElement, after: number) =>
    start(() => {
      const content = anchor.isConnected ? read(anchor) : undefined;
      setShown(content === undefined || content === "" ? null : { anchor, content });
    }, after);
  // A short grace lets the pointer travel onto the tooltip (WCAG 1.4.13).
  const hide = () => start(() => setShown(null), 80);
  return {
    handlers: {
      onPointerEnter: (event: PointerEvent<HTMLElement>) => {
        if (event.pointerType !== "touch") open(event.currentTarget, delayMs);
      },
      onPointerLeave: hide,
      onFocus: (event: FocusEvent<HTMLElement>) => {
        if (event.target.matches(":focus-visible")) open(event.currentTarget, 0);
      },
      onBlur: hide,
      ...(shown === null ? {} : { "aria-describedby": id }),
    },
    tip:
      shown === null ? null : (
        <Popper open id={id} anchorEl={shown.anchor} placement="top" sx={{ zIndex: "tooltip" }}>
          <Bubble onPointerEnter={stop} onPointerLeave={hide}>
            {shown.content}
          </Bubble>
        </Popper>
      ),
  };
}
