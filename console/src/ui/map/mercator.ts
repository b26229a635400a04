// Web Mercator projection and its inverse; the world is a square of 512 px at zoom 0.

export type LngLat = { lng: number; lat: number };

/** `lng` and `lat` are the center; `width` and `height` are in px. */
export type Viewport = LngLat & { zoom: number; width: number; height: number };

const tileSize = 512;
/** Converts a zoom for raster tiles of 256 px to the zoom with the same scale on maps with tiles of 512 px. */
export const convertRasterZoom = (zoom: number) => zoom - 1;
/** The projection's latitude limit. */
const maxLat = 85.051129;
const equatorMeters = 40_075_017;

export const worldPixels = (zoom: number) => tileSize * 2 ** zoom;

/** Web Mercator coordinates, from 0 to 1; y is 0 in the north. */
export function project({ lng, lat }: LngLat): [x: number, y: number] {
  const radians = (Math.min(maxLat, Math.max(-maxLat, lat)) * Math.PI) / 180;
  return [lng / 360 + 0.5, 0.5 - Math.log(Math.tan(Math.PI / 4 + radians / 2)) / (2 * Math.PI)];
}

export function unproject(x: number, y: number): LngLat {
  const turns = x - Math.floor(x);
  return { lng: turns * 360 - 180, lat: (Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) * 360) / Math.PI - 90 };
}

/** Pixels from the map's top left corner; uses the world copy nearest to the center. */
export function toScreen([x, y]: readonly [number, number], view: Viewport): { left: number; top: number } {
  const pixels = worldPixels(view.zoom);
  const [middleX, middleY] = project(view);
  const dx = x - middleX;
  return {
    left: (dx - Math.round(dx)) * pixels + view.width / 2,
    top: (y - middleY) * pixels + view.height / 2,
  };
}

export function fromScreen({ left, top }: { left: number; top: number }, view: Viewport): LngLat {
  const pixels = worldPixels(view.zoom);
  const [middleX, middleY] = project(view);
  return unproject(
    middleX + (left - view.width / 2) / pixels,
    Math.min(1, Math.max(0, middleY + (top - view.height / 2) / pixels)),
  );
}

const metersPerPixel = (lat: number, zoom: number) =>
  (equatorMeters * Math.cos((lat * Math.PI) / 180)) / worldPixels(zoom);

export const metersToPixels = (meters: number, { lat }: LngLat, { zoom }: Viewport) =>
  meters / metersPerPixel(lat, zoom);

/** The longest round distance that fits into `maxPixels`, e.g. "500 m" or "20 km". */
export function computeScaleBar(view: Viewport, maxPixels: number): { label: string; pixels: number } {
  const perPixel = metersPerPixel(view.lat, view.zoom);
  const most = perPixel * maxPixels;
  const power = 10 ** Math.floor(Math.log10(most));
  const meters = power * ([5, 2].find((factor) => factor * power <= most) ?? 1);
  return { label: meters >= 1000 ? `${meters / 1000} km` : `${meters} m`, pixels: meters / perPixel };
}
