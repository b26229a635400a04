// Pictures of numbers come in a piece of their own, after the words: without it the numbers are still there.
import { type ComponentType, lazy, Suspense } from "react";

/** A part of the chart library; nothing stands in its place until it is here, or when it can't be had. */
export function drawn<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const Plot = lazy(() =>
    load().then(
      (plot) => ({ default: plot as ComponentType<object> }),
      () => ({ default: () => null }),
    ),
  );
  return function Drawn(props: P) {
    return (
      <Suspense>
        <Plot {...props} />
      </Suspense>
    );
  };
}
