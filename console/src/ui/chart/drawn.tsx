// What charts have in common. Their pictures come in a chunk of their own, after the words: without it the numbers are still there.
import { styled } from "@mui/material/styles";
import { type ComponentType, Suspense, useRef } from "react";
import { lazyOrNothing } from "../feedback/lazyOrNothing.ts";
import { useNear } from "../useNear.ts";

/** When charts below the screen are drawn. */
const restMs = 700;

/** A part of the chart library; its place is empty until it is here, or when it can't be had. */
export function drawn<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const Plot = lazyOrNothing(load);
  return function Drawn(props: P) {
    const place = useRef<HTMLSpanElement>(null);
    // The library is heavy, and on the phone most charts begin below the screen.
    if (!useNear(place, restMs)) return <span ref={place} />;
    return (
      <Suspense>
        <Plot {...props} />
      </Suspense>
    );
  };
}

/** The color of a series or a part, beside its name. */
export const Swatch = styled("span")({ width: 10, height: 10, borderRadius: 2, forcedColorAdjust: "none" });

/** Background of what is unknown, for `sx`: the same stripes in every chart and table. */
export const hatched = {
  backgroundImage: (theme: { vars: { palette: { text: { disabled: string } } } }) =>
    `repeating-linear-gradient(45deg, color-mix(in srgb, ${theme.vars.palette.text.disabled} 55%, transparent) 0 1.5px, transparent 1.5px 6px)`,
};
