// Fields whose code is fetched when somebody comes to them: until then a plain one stands in their place, and what was typed
// or opened meanwhile goes over to the one that comes (ADR 0027).
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

/** What was done with the plain field; all of it empty where there was none. */
export type Begun = {
  /** Null for nothing. */
  typed: string | null;
  /** Its list was asked for. */
  opens: boolean;
  /** It has the focus. */
  isAt: boolean;
};

const nothing: Begun = { typed: null, opens: false, isAt: false };

/** `load` is called once; again only where it failed. */
export function fieldLater<Props>(load: () => Promise<ComponentType<Props>>) {
  let field: ComponentType<Props> | null = null;
  let coming: Promise<ComponentType<Props>> | null = null;
  return {
    now: () => field,
    /** For tests, which begin without it. */
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

/** `isStill` for one that can't be changed: nothing is fetched for it. `atOnce` for one that has more to show. */
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
    // Also one that came to it while it could not be changed yet.
    setBegun((before) => ({ ...before, ...more, isAt: true }));
    setMissing(false);
    fetchIt();
  };
  return {
    Field,
    begun,
    /** It could not be fetched; the next try fetches it again. */
    isMissing,
    /** For the plain input. */
    handlers: {
      onFocus: () => begin({}),
      onBlur: () => setBegun(nothing),
      onMouseDown: () => {
        pressed.current ??= released();
        begin({ opens: true });
      },
      // What is there already is no change, but who enters it, by dictation above all, wants the list.
      onInput: () => begin({ opens: true }),
      onChange: ({ target }: ChangeEvent<HTMLInputElement>) => begin({ typed: target.value, opens: true }),
      onKeyDown: ({ key }: KeyboardEvent<HTMLInputElement>) => {
        if (key === "ArrowDown" || key === "ArrowUp") begin({ opens: true });
      },
    },
  };
}

/** The browser gives the focus to what was pressed: until then it must be there. */
function released(): Promise<void> {
  return new Promise((resolve) => {
    document.addEventListener("mouseup", () => setTimeout(resolve, 0), { capture: true, once: true });
  });
}

/** For the field that comes: a ref around its input, which gets the focus before anything is painted; then `goOn` is called. */
export function useTakeOver({ isAt, typed }: Begun, goOn?: () => void) {
  const around = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const input = around.current?.querySelector("input");
    if (!isAt || input === null || input === undefined) return;
    // It stands where the plain one stood: there is nothing to bring into view.
    input.focus({ preventScroll: true });
    if (typed === null) input.select();
    else input.setSelectionRange(typed.length, typed.length);
    // Only what was begun before it came.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const onHere = useEffectEvent(() => goOn?.());
  useEffect(() => {
    if (isAt) onHere();
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return around;
}
