// Small world map, shown on a map without streets when its zoom is too high to recognize the place. Drawn on a canvas, without the
// map library.
import { Box } from "@mui/material";
import type { Position } from "geojson";
import { useEffect, useEffectEvent, useRef } from "react";
import { type LngLat, toScreen, project, type Viewport, worldPixels } from "./mercator.ts";
import { getMapColors, type Scheme } from "./map.style.ts";
import { loadWorld } from "./world.ts";

const size = { width: 132, height: 92 };
const zoom = 1.6;

type OverviewProps = { at: LngLat; scheme: Scheme };

export function Overview({ at: { lng, lat }, scheme }: OverviewProps) {
  const ref = useRef<HTMLCanvasElement>(null);
  const draw = useEffectEvent((lines: Position[][], borders: Position[][]) => {
    const canvas = ref.current;
    const pen = canvas?.getContext("2d");
    if (canvas === null || !pen) return;
    const density = window.devicePixelRatio;
    canvas.width = size.width * density;
    canvas.height = size.height * density;
    pen.scale(density, density);
    const { sea, land, border } = getMapColors(scheme);
    pen.fillStyle = sea;
    pen.fillRect(0, 0, size.width, size.height);
    trace(pen, lines, { lng, lat, zoom, ...size });
    pen.fillStyle = land;
    pen.fill("evenodd");
    pen.strokeStyle = border;
    pen.stroke();
    trace(pen, borders, { lng, lat, zoom, ...size });
    pen.stroke();
  });
  useEffect(() => {
    let gone = false;
    void loadWorld().then(
      ({ land, borders }) => {
        const rings = land.features.flatMap(({ geometry }) => geometry.coordinates.flat());
        if (!gone) draw(rings, borders.geometry.coordinates);
      },
      () => undefined,
    );
    return () => void (gone = true);
  }, [lng, lat, scheme]);
  return (
    <Box
      aria-hidden
      sx={{
        position: "absolute",
        left: 8,
        top: 8,
        ...size,
        border: 1,
        borderColor: "divider",
        borderRadius: "4px",
        overflow: "hidden",
        pointerEvents: "none",
      }}
    >
      <canvas ref={ref} style={size} />
      <Box
        sx={{
          position: "absolute",
          left: size.width / 2 - 4,
          top: size.height / 2 - 4,
          width: 8,
          height: 8,
          borderRadius: "50%",
          bgcolor: "primary.main",
          forcedColorAdjust: "none",
        }}
      />
    </Box>
  );
}

/** Builds one path of all lines. Each line uses the world copy in which its first point is nearest to the center. */
function trace(pen: CanvasRenderingContext2D, lines: readonly Position[][], view: Viewport): void {
  const pixels = worldPixels(view.zoom);
  pen.beginPath();
  for (const line of lines) {
    const [firstLng = 0, firstLat = 0] = line[0] ?? [];
    const [firstX] = project({ lng: firstLng, lat: firstLat });
    const { left: firstLeft } = toScreen([firstX, 0], view);
    for (const [index, [lng = 0, lat = 0]] of line.entries()) {
      const [x, y] = project({ lng, lat });
      const left = firstLeft + (x - firstX) * pixels;
      const { top } = toScreen([x, y], view);
      if (index === 0) pen.moveTo(left, top);
      else pen.lineTo(left, top);
    }
  }
}
