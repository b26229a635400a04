// What charts have in common. Their pictures come in a piece of their own, after the words: without it the numbers are still there.
import { styled } from "@mui/material/styles";
import { type ComponentType, lazy, Suspense } from "react";

/** A part of the chart library; its place is empty until it is here, or when it can't be had. */
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

/** The color of a series or a part, beside its name. */
export const Swatch = styled("span")({ width: 10, height: 10, borderRadius: 2, forcedColorAdjust: "none" });
