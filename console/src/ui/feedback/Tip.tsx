// A tooltip that costs nothing until it is needed: lists hold hundreds of them. Shows on hover and on keyboard focus, Escape hides it.
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
import { lazyOrNothing } from "./lazyOrNothing.ts";

/** Positioning it takes more code than the login screen. */
const TipBubble = lazyOrNothing(() => import("./TipBubble.tsx").then(({ TipBubble }) => TipBubble));

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
 * In `onPointerOver`: the pointer came from elsewhere. React's `onPointerEnter` misses a pointer that comes from where an element
 * was that is gone, as on a page that has just been drawn.
 */
export const cameInto = ({ currentTarget, relatedTarget }: PointerEvent<HTMLElement>) =>
  !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget));

/** How many were opened: an id for each is made when it is. */
let opened = 0;

/**
 * Handlers for the element and the tooltip to render beside it. `read` is asked when the tooltip is about to open;
 * undefined means there is nothing to say (text that isn't cut, a control that isn't off).
 */
export function useTip(read: (element: HTMLElement) => ReactNode | undefined, delayMs = 300) {
  const [shown, setShown] = useState<{ anchor: HTMLElement; content: ReactNode; id: string } | null>(null);
  // A bare timer: what fires after its element is gone finds it so.
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
  // A short grace lets the pointer travel onto the tooltip (WCAG 1.4.13).
  const hide = () => later(() => setShown(null), 80);
  return {
    handlers: {
      // What is inside of it and has one of its own is not its matter.
      "data-tip": "",
      onPointerOver: (event: PointerEvent<HTMLElement>) => {
        if (event.pointerType !== "touch" && cameInto(event)) open(event.currentTarget, delayMs);
      },
      onPointerLeave: hide,
      onFocus: (event: FocusEvent<HTMLElement>) => {
        if (event.target.matches(":focus-visible")) open(event.currentTarget, 0);
      },
      onBlur: hide,
      ...(shown === null ? {} : { "aria-describedby": shown.id }),
    },
    /** Shows it at once, for a press. */
    open: (anchor: HTMLElement) => open(anchor, 0),
    tip:
      shown === null ? null : (
        <Shown
          id={shown.id}
          anchor={shown.anchor}
          onEscape={() => {
            // Nor is it opened by a pointer that came a moment before.
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

type TipProps = { says: string | (() => string | undefined); delayMs?: number; children: ReactElement<object> };

/** Around one element that handles neither pointers nor focus itself. */
export function Tip({ says, delayMs, children }: TipProps) {
  const { handlers, tip } = useTip(() => (typeof says === "string" ? says : says()), delayMs);
  return (
    <>
      {cloneElement(children, handlers)}
      {tip}
    </>
  );
}

type ShownProps = ComponentProps<typeof TipBubble> & { onEscape: () => void };

function Shown({ onEscape, ...bubble }: ShownProps) {
  useEscape(true, onEscape);
  return (
    <Suspense>
      <TipBubble {...bubble} />
    </Suspense>
  );
}
