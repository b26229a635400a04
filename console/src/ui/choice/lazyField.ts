// Lazily loaded fields. A plain field starts loading when the user reaches it, and then passes focus and typed text to the loaded
// field (ADR 0027).
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

/** What the user did in the plain field, for the loaded field. */
export type EarlyInput = {
  /** Null if nothing was typed. */
  typed: string | null;
  shouldOpen: boolean;
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

/** `isReadOnly` prevents loading. `eager` loads immediately, for values that only the loaded field can edit. */
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
    // Sets `hasFocus` every time, because the field may have been read-only when it got the focus.
    setEarlyInput((before) => ({ ...before, ...more, hasFocus: true }));
    setFailed(false);
    fetchField();
  };
  return {
    Field,
    earlyInput,
    /** The next interaction retries. */
    hasFailed,
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

/** Waits until the pointer is released. The pressed element must exist until then, because the browser focuses it. */
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
    // The input is where the plain field was, so no scrolling is needed.
    input.focus({ preventScroll: true });
    if (typed === null) input.select();
    else input.setSelectionRange(typed.length, typed.length);
    // Runs on mount only, when the plain field's input is handed over.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const onHandover = useEffectEvent(() => onFocused?.());
  useEffect(() => {
    if (hasFocus) onHandover();
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return container;
}
