// Measures an element, to fit drawings to it.
import { useLayoutEffect, useRef, useState } from "react";

/** Inner size in px of the element with `ref`. It is 0 in the first render, and measured before the first paint. */
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
