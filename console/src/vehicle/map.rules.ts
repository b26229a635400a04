// The view of a map that shows all given points.
import type { LngLat } from "../ui/map/mercator.ts";

/** Width and height of the smallest map, and of the world at zoom 0, in px. */
const [smallestPx, worldPx] = [320, 512];
const farthest = 0.5;

/** `nearest`: the highest zoom, which a single point gets. */
export function viewOf(points: readonly LngLat[], nearest: number): LngLat & { zoom: number } {
  if (points.length === 0) return { lng: 10, lat: 48, zoom: farthest };
  const [easts, norths] = [points.map(({ lng }) => lng), points.map(({ lat }) => lat)];
  const [west, east, south, north] = [Math.min(...easts), Math.max(...easts), Math.min(...norths), Math.max(...norths)];
  const lat = (south + north) / 2;
  // A degree of latitude is longer on the map than one of longitude, away from the equator.
  const degrees = Math.max(east - west, (north - south) / Math.cos((lat * Math.PI) / 180), 1e-6);
  const zoom = Math.log2((0.8 * smallestPx * 360) / (worldPx * degrees));
  return { lng: (west + east) / 2, lat, zoom: Math.min(nearest, Math.max(farthest, zoom)) };
}
