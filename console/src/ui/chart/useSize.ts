// How large a part of the page is, for what is drawn to fit it.
import { useLayoutEffect, useRef, useState } from "react";

/** The inner size in px of what `ref` is given to: 0 until it is known, which is before anything is seen. */
export function useSize() {
  const ref = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const place = ref.current;
    if (place === null) return;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = place;
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(place);
    return () => observer.disconnect();
  }, []);
  return { ref, ...size };
}
