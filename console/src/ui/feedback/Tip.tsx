// A tooltip on hover and keyboard focus. It renders nothing until it opens, because lists contain hundreds. Escape hides it.
import {
  cloneElement,
  type ComponentProps,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  Suspense,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import { lazyOptional } from "./lazyOptional.ts";

/** Lazy: its positioning library is larger than the login page. */
const TipBubble = lazyOptional(() => import("./TipBubble.tsx").then(({ TipBubble }) => TipBubble));

/** Handles Escape anywhere in the page while `enabled`. */
export function useEscapeKey(enabled: boolean, onEscape: () => void): void {
  const onKey = useEffectEvent(({ key }: KeyboardEvent) => key === "Escape" && onEscape());
  useEffect(() => {
    if (!enabled) return;
    const listener = (event: KeyboardEvent) => void onKey(event);
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, [enabled]);
}

/**
 * For `onPointerOver`: whether the pointer entered the element. React's `onPointerEnter` misses a pointer coming from a removed
 * element, as after a page change.
 */
export const isPointerEnter = ({ currentTarget, relatedTarget }: PointerEvent<HTMLElement>) =>
  !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget));

/** Number of tooltips opened so far, for unique ids. */
let opened = 0;

/**
 * Handlers for the element, and the tooltip to render beside it. `read` returns the content when the tooltip is about to open;
 * undefined prevents it, e.g. because the text isn't truncated.
 */
export function useTip(read: (element: HTMLElement) => ReactNode | undefined, delayMs = 300) {
  const [shown, setShown] = useState<{ anchor: HTMLElement; content: ReactNode; id: string } | null>(null);
  // Not cleared on unmount: the callback checks whether the element is still connected.
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const later = (run: () => void, afterMs: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(run, afterMs);
  };
  const open = (anchor: HTMLElement, afterMs: number) =>
    later(() => {
      const content = anchor.isConnected ? read(anchor) : undefined;
      setShown(content === undefined || content === "" ? null : { anchor, content, id: `tip-${(opened += 1)}` });
    }, afterMs);
  // Delay that lets the pointer move onto the tooltip (WCAG 1.4.13).
  const hide = () => later(() => setShown(null), 80);
  return {
    handlers: {
      // Marks an element that has its own tooltip. On hover, enclosing elements ignore truncated text inside it (Ellipsis.tsx).
      "data-tip": "",
      onPointerOver: (event: PointerEvent<HTMLElement>) => {
        if (event.pointerType !== "touch" && isPointerEnter(event)) open(event.currentTarget, delayMs);
      },
      onPointerLeave: hide,
      onFocus: (event: FocusEvent<HTMLElement>) => {
        if (event.target.matches(":focus-visible")) open(event.currentTarget, 0);
      },
      onBlur: hide,
      ...(shown === null ? {} : { "aria-describedby": shown.id }),
    },
    /** Opens without delay, for presses. */
    open: (anchor: HTMLElement) => open(anchor, 0),
    tip:
      shown === null ? null : (
        <Shown
          id={shown.id}
          anchor={shown.anchor}
          onEscape={() => {
            // Also cancels a pending open.
            clearTimeout(timer.current);
            setShown(null);
          }}
          onPointerEnter={() => clearTimeout(timer.current)}
          onPointerLeave={hide}
        >
          {shown.content}
        </Shown>
      ),
  };
}

type TipProps = { text: string | (() => string | undefined); delayMs?: number; children: ReactElement<object> };

/** Wraps one element that has no pointer or focus handlers of its own. */
export function Tip({ text, delayMs, children }: TipProps) {
  const { handlers, tip } = useTip(() => (typeof text === "string" ? text : text()), delayMs);
  return (
    <>
      {cloneElement(children, handlers)}
      {tip}
    </>
  );
}

type ShownProps = ComponentProps<typeof TipBubble> & { onEscape: () => void };

function Shown({ onEscape, ...bubble }: ShownProps) {
  useEscapeKey(true, onEscape);
  return (
    <Suspense>
      <TipBubble {...bubble} />
    </Suspense>
  );
}
