// Lazily loaded fields: a plain field is shown until the user reaches it, then hands focus and typed text over to the loaded one
// (ADR 0027).
import {
  type ChangeEvent,
  type ComponentType,
  type KeyboardEvent,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";

/** What the user did in the plain field; initially nothing. */
export type Begun = {
  /** Null if nothing was typed. */
  typed: string | null;
  /** Whether its list should open. */
  opens: boolean;
  /** Whether it has the focus. */
  isAt: boolean;
};

const nothing: Begun = { typed: null, opens: false, isAt: false };

/** `load` is called once, and again only after a failure. */
export function fieldLater<Props>(load: () => Promise<ComponentType<Props>>) {
  let field: ComponentType<Props> | null = null;
  let coming: Promise<ComponentType<Props>> | null = null;
  return {
    now: () => field,
    /** Resets the state between tests. */
    forget: () => void (field = coming = null),
    fetched: async () => {
      coming ??= load();
      try {
        return (field = await coming);
      } catch (error) {
        coming = null;
        throw error;
      }
    },
  };
}

type Later<Props> = ReturnType<typeof fieldLater<Props>>;

/** `isStill` (read-only) prevents loading; `atOnce` loads immediately, for fields that need the loaded view. */
export function useFieldLater<Props>(later: Later<Props>, { isStill = false, atOnce = false } = {}) {
  const [Field, setField] = useState(later.now);
  const [begun, setBegun] = useState(nothing);
  const [isMissing, setMissing] = useState(false);
  const pressed = useRef<Promise<void> | null>(null);
  const fetchIt = () => {
    if (isStill) return;
    Promise.all([later.fetched(), pressed.current]).then(
      ([field]) => setField(() => field),
      () => setMissing(true),
    );
  };
  const onWanted = useEffectEvent(fetchIt);
  useEffect(() => {
    if (atOnce) onWanted();
  }, [atOnce]);
  const begin = (more: Partial<Omit<Begun, "isAt">>) => {
    if (isStill) return;
    // Also for focus that came while the field was read-only.
    setBegun((before) => ({ ...before, ...more, isAt: true }));
    setMissing(false);
    fetchIt();
  };
  return {
    Field,
    begun,
    /** Loading failed; the next interaction retries. */
    isMissing,
    /** For the plain input. */
    handlers: {
      onFocus: () => begin({}),
      onBlur: () => setBegun(nothing),
      onMouseDown: () => {
        pressed.current ??= released();
        begin({ opens: true });
      },
      // React fires no change event if the text stays the same, but entering it, e.g. by dictation, should open the list.
      onInput: () => begin({ opens: true }),
      onChange: ({ target }: ChangeEvent<HTMLInputElement>) => begin({ typed: target.value, opens: true }),
      onKeyDown: ({ key }: KeyboardEvent<HTMLInputElement>) => {
        if (key === "ArrowDown" || key === "ArrowUp") begin({ opens: true });
      },
    },
  };
}

/** Waits until the pointer is released, because the browser focuses the pressed element, which must still exist then. */
function released(): Promise<void> {
  return new Promise((resolve) => {
    document.addEventListener("mouseup", () => setTimeout(resolve, 0), { capture: true, once: true });
  });
}

/** For the loaded field: returns a ref that focuses its input before the first paint, then calls `goOn`. */
export function useTakeOver({ isAt, typed }: Begun, goOn?: () => void) {
  const around = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const input = around.current?.querySelector("input");
    if (!isAt || input === null || input === undefined) return;
    // It replaces the plain field in place, so scrolling is unnecessary.
    input.focus({ preventScroll: true });
    if (typed === null) input.select();
    else input.setSelectionRange(typed.length, typed.length);
    // Only what was begun before it mounted.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const onHere = useEffectEvent(() => goOn?.());
  useEffect(() => {
    if (isAt) onHere();
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return around;
}
