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

/** The user's input in the plain field; initially none. */
export type EarlyInput = {
  /** Null if nothing was typed. */
  typed: string | null;
  /** Whether its list should open. */
  shouldOpen: boolean;
  /** Whether it has the focus. */
  hasFocus: boolean;
};

const noInput: EarlyInput = { typed: null, shouldOpen: false, hasFocus: false };

/** `load` is called once, and again only after a failure. */
export function createLazyField<Props>(load: () => Promise<ComponentType<Props>>) {
  let field: ComponentType<Props> | null = null;
  let loading: Promise<ComponentType<Props>> | null = null;
  return {
    loaded: () => field,
    /** Resets the state between tests. */
    reset: () => void (field = loading = null),
    fetch: async () => {
      loading ??= load();
      try {
        return (field = await loading);
      } catch (error) {
        loading = null;
        throw error;
      }
    },
  };
}

type LazyField<Props> = ReturnType<typeof createLazyField<Props>>;

/** `isReadOnly` prevents loading; `eager` loads immediately, for fields that need the loaded view. */
export function useLazyField<Props>(lazyField: LazyField<Props>, { isReadOnly = false, eager = false } = {}) {
  const [Field, setField] = useState(lazyField.loaded);
  const [earlyInput, setEarlyInput] = useState(noInput);
  const [hasFailed, setFailed] = useState(false);
  const pressed = useRef<Promise<void> | null>(null);
  const fetchField = () => {
    if (isReadOnly) return;
    Promise.all([lazyField.fetch(), pressed.current]).then(
      ([field]) => setField(() => field),
      () => setFailed(true),
    );
  };
  const onEager = useEffectEvent(fetchField);
  useEffect(() => {
    if (eager) onEager();
  }, [eager]);
  const interact = (more: Partial<Omit<EarlyInput, "hasFocus">>) => {
    if (isReadOnly) return;
    // Also for focus that came while the field was read-only.
    setEarlyInput((before) => ({ ...before, ...more, hasFocus: true }));
    setFailed(false);
    fetchField();
  };
  return {
    Field,
    earlyInput,
    /** Loading failed; the next interaction retries. */
    hasFailed,
    /** For the plain input. */
    handlers: {
      onFocus: () => interact({}),
      onBlur: () => setEarlyInput(noInput),
      onMouseDown: () => {
        pressed.current ??= pointerReleased();
        interact({ shouldOpen: true });
      },
      // React fires no change event if the text stays the same, but entering it, e.g. by dictation, should open the list.
      onInput: () => interact({ shouldOpen: true }),
      onChange: ({ target }: ChangeEvent<HTMLInputElement>) => interact({ typed: target.value, shouldOpen: true }),
      onKeyDown: ({ key }: KeyboardEvent<HTMLInputElement>) => {
        if (key === "ArrowDown" || key === "ArrowUp") interact({ shouldOpen: true });
      },
    },
  };
}

/** Waits until the pointer is released, because the browser focuses the pressed element, which must still exist then. */
function pointerReleased(): Promise<void> {
  return new Promise((resolve) => {
    document.addEventListener("mouseup", () => setTimeout(resolve, 0), { capture: true, once: true });
  });
}

/** For the loaded field: returns a ref that focuses its input before the first paint, then calls `onFocused`. */
export function useFocusHandover({ hasFocus, typed }: EarlyInput, onFocused?: () => void) {
  const container = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const input = container.current?.querySelector("input");
    if (!hasFocus || input === null || input === undefined) return;
    // It replaces the plain field in place, so scrolling is unnecessary.
    input.focus({ preventScroll: true });
    if (typed === null) input.select();
    else input.setSelectionRange(typed.length, typed.length);
    // Runs once, because it only hands over the input from before it mounted.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const onHandover = useEffectEvent(() => onFocused?.());
  useEffect(() => {
    if (hasFocus) onHandover();
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return container;
}
