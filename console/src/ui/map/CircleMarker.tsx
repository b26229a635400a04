// A circle on a map that shows the accuracy of a position.
import { styled } from "@mui/material/styles";
import { type LngLat, metersToPixels, toScreen, project, type Viewport } from "./mercator.ts";

export type Circle = { at: LngLat; radiusM: number; label: string };

const Disc = styled("div")(({ theme }) => ({
  position: "absolute",
  left: 0,
  top: 0,
  borderRadius: "50%",
  border: `2px solid ${theme.vars.palette.primary.main}`,
  backgroundColor: `color-mix(in srgb, ${theme.vars.palette.primary.main} 18%, transparent)`,
  forcedColorAdjust: "none",
}));

/** Minimum radius (px), so that accurate positions stay visible as a dot. */
const least = 4;

export function CircleMarker({ circle: { at, radiusM, label }, view }: { circle: Circle; view: Viewport }) {
  const { left, top } = toScreen(project(at), view);
  const radius = Math.max(least, metersToPixels(radiusM, at, view));
  return (
    <Disc
      role="img"
      aria-label={label}
      style={{
        width: 2 * radius,
        height: 2 * radius,
        transform: `translate(${left - radius}px, ${top - radius}px)`,
      }}
    />
  );
}
