// The bundled world outline, so that maps need no internet access (ADR 0029).
import type { Feature, FeatureCollection, Geometry, MultiLineString, MultiPolygon, Position } from "geojson";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";

type World = { land: FeatureCollection<MultiPolygon>; borders: Feature<MultiLineString> };
type Atlas = Topology<{ countries: GeometryCollection; land: GeometryCollection }>;

export async function loadWorld(): Promise<World> {
  const { default: data } = await import("world-atlas/countries-50m.json");
  const atlas = data as unknown as Atlas;
  const polygons = feature(atlas, atlas.objects.land).features.flatMap(({ geometry }) => polygonsOf(geometry));
  const land: Feature<MultiPolygon> = {
    type: "Feature",
    properties: {},
    geometry: { type: "MultiPolygon", coordinates: polygons.map((rings) => rings.map(unwrapRing)) },
  };
  return {
    land: { type: "FeatureCollection", features: [land] },
    borders: { type: "Feature", properties: {}, geometry: mesh(atlas, atlas.objects.countries, (a, b) => a !== b) },
  };
}

function polygonsOf(geometry: Geometry): Position[][][] {
  if (geometry.type === "Polygon") return [geometry.coordinates];
  return geometry.type === "MultiPolygon" ? geometry.coordinates : [];
}

/**
 * If a ring crosses the antimeridian, continues its longitudes beyond ±180°, so that no line is drawn back across the map. A ring
 * around a pole would not close, so it is returned unchanged.
 */
export function unwrapRing(ring: readonly Position[]): Position[] {
  let turns = 0;
  let before: number | undefined;
  const whole = ring.map(([lng = 0, lat = 0]): Position => {
    if (before !== undefined && Math.abs(lng - before) > 180) turns += lng < before ? 1 : -1;
    before = lng;
    return [lng + turns * 360, lat];
  });
  return turns === 0 ? whole : [...ring];
}
