// Map styles for the bundled world outline and for raster tiles of a server, in both themes.
import type { StyleSpecification } from "maplibre-gl";
import type { loadWorld } from "./world.ts";

/** Raster tiles by zoom, column and row; `attribution` is plain text. */
export type TileSource = { tileUrl: string; attribution: string | null };

const colors = {
  light: { sea: "#e9eff0", land: "#fbfcfb", border: "#c9d3d0" },
  dark: { sea: "#0f1616", land: "#1f2929", border: "#3a4747" },
} as const;

export type Scheme = keyof typeof colors;

export const getMapColors = (scheme: Scheme) => colors[scheme];

export function outlineStyle(world: Awaited<ReturnType<typeof loadWorld>>, scheme: Scheme): StyleSpecification {
  const { sea, land, border } = colors[scheme];
  return {
    version: 8,
    sources: { land: { type: "geojson", data: world.land }, borders: { type: "geojson", data: world.borders } },
    layers: [
      { id: "sea", type: "background", paint: { "background-color": sea } },
      { id: "land", type: "fill", source: "land", paint: { "fill-color": land, "fill-outline-color": border } },
      { id: "borders", type: "line", source: "borders", paint: { "line-color": border, "line-width": 1 } },
    ],
  };
}

/** Third-party tiles are made for light pages; the dark theme dims them. */
export function tileStyle({ tileUrl }: TileSource, scheme: Scheme): StyleSpecification {
  const paint = scheme === "dark" ? { "raster-brightness-max": 0.6, "raster-saturation": -0.4 } : {};
  return {
    version: 8,
    sources: { tiles: { type: "raster", tiles: [tileUrl], tileSize: 256, maxzoom: 19 } },
    layers: [
      { id: "sea", type: "background", paint: { "background-color": colors[scheme].sea } },
      { id: "tiles", type: "raster", source: "tiles", paint },
    ],
  };
}
