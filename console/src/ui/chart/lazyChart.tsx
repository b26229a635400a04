// Common parts of charts. Drawings are lazy chunks that load after the text; the numbers are readable without them.
import { styled } from "@mui/material/styles";
import { type ComponentType, Suspense, useRef } from "react";
import { lazyOptional } from "../feedback/lazyOptional.ts";
import { useIsNearViewport } from "../useIsNearViewport.ts";

/** Delay (ms) until charts below the viewport are drawn. */
const restMs = 700;

/** Loads a chart lazily. Its space stays empty while loading and after a failure. */
export function lazyChart<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const Plot = lazyOptional(load);
  return function Drawn(props: P) {
    const place = useRef<HTMLSpanElement>(null);
    // The library is heavy, and on phones most charts start below the viewport.
    if (!useIsNearViewport(place, restMs)) return <span ref={place} />;
    return (
      <Suspense>
        <Plot {...props} />
      </Suspense>
    );
  };
}

/** Color sample of a series or part, beside its name. */
export const Swatch = styled("span")({ width: 10, height: 10, borderRadius: 2, forcedColorAdjust: "none" });

/** Marks unknown values in charts and tables. For `sx`. */
export const hatchedBackground = {
  backgroundImage: (theme: { vars: { palette: { text: { disabled: string } } } }) =>
    `repeating-linear-gradient(45deg, color-mix(in srgb, ${theme.vars.palette.text.disabled} 55%, transparent) 0 1.5px, transparent 1.5px 6px)`,
};
