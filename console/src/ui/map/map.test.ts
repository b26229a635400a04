// Tests the projection, clusters, the outline at the antimeridian, and the scale bar.
import { expect, test } from "vitest";
import { createClusterIndex, type MapPoint } from "./clusters.ts";
import { fromScreen, computeScaleBar, toScreen, project, type Viewport } from "./mercator.ts";
import { loadWorld, unwrapRing } from "./world.ts";

const berlin = { lng: 13.4, lat: 52.52 };
const view: Viewport = { ...berlin, zoom: 14, width: 600, height: 300 };

test("LO-02 a place is where the map shows it, and back, across the antimeridian, too", () => {
  expect(toScreen(project(berlin), view)).toEqual({ left: 300, top: 150 });
  for (const at of [berlin, { lng: -179.99, lat: -17 }, { lng: 179.99, lat: 70 }]) {
    const near: Viewport = { ...at, zoom: 12, width: 600, height: 300 };
    const back = fromScreen({ left: 123, top: 45 }, near);
    const there = toScreen(project(back), near);
    expect(there.left).toBeCloseTo(123, 3);
    expect(there.top).toBeCloseTo(45, 3);
  }
  // Fiji spans the antimeridian: its western end has the greater longitude.
  const fiji: Viewport = { lng: 179.9, lat: -17, zoom: 6, width: 600, height: 300 };
  expect(toScreen(project({ lng: -179.9, lat: -17 }), fiji).left).toBeGreaterThan(300);
});

test("the scale is a round length", () => {
  expect(computeScaleBar({ ...view, lat: 0 }, 90)).toMatchObject({ label: "200 m" });
  expect(computeScaleBar({ ...view, lat: 0, zoom: 2 }, 90).label).toBe("1000 km");
  expect(computeScaleBar(view, 90).pixels).toBeLessThanOrEqual(90);
});

const random = (seed: number) => () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;

test(
  "DB-03 each of 100,000 places is in exactly one marker per zoom, and markers keep their distance",
  { tags: "prove" },
  () => {
    const next = random(7);
    const points = Array.from({ length: 100_000 }, (_, index): MapPoint => ({
      id: String(index),
      lng: next() * 360 - 180,
      lat: next() * 150 - 70,
    }));
    const at = createClusterIndex(points);
    for (const zoom of [2, 2.9, 6]) {
      const clusters = at(zoom);
      expect(clusters).toBe(at(Math.floor(zoom)));
      const ids = clusters.flatMap((cluster) => cluster.ids);
      expect(ids).toHaveLength(points.length);
      expect(new Set(ids).size).toBe(points.length);
    }
    // The initial view of a map of 1200 × 480 px has few enough markers to render as buttons.
    const screen: Viewport = { lng: 0, lat: 0, zoom: 2, width: 1200, height: 480 };
    const shown = at(2).filter((cluster) => {
      const { left, top } = toScreen(cluster.at, screen);
      return left > 0 && left < 1200 && top > 0 && top < 480;
    });
    expect(shown.length).toBeLessThan(200);
  },
);

test("DB-03 places at the same spot stay one group however near one looks", () => {
  const twins = ["a", "b"].map((id) => ({ id, ...berlin }));
  expect(createClusterIndex(twins)(18).map(({ ids }) => ids)).toEqual([["a", "b"]]);
  const apart = createClusterIndex([...twins, { id: "c", lng: 13.41, lat: 52.52 }]);
  expect(apart(2).map(({ ids }) => ids.toSorted())).toEqual([["a", "b", "c"]]);
  expect(apart(16)).toHaveLength(2);
});

test("no outline of the bundled world draws a line across the whole map", async () => {
  const { land, borders } = await loadWorld();
  const rings = land.features.flatMap(({ geometry }) => geometry.coordinates.flat());
  expect(rings.length).toBeGreaterThan(1000);
  const jumps = [...rings, ...borders.geometry.coordinates].filter((line) =>
    line.some(([lng = 0, lat = 0], index) => {
      const [before = lng] = line[index - 1] ?? [];
      // The world's edge at the south pole is outside of every map.
      return Math.abs(lng - before) > 180 && lat > -84;
    }),
  );
  expect(jumps).toEqual([]);
  expect(
    unwrapRing([
      [179, 0],
      [-179, 1],
      [179, 2],
      [179, 0],
    ]),
  ).toEqual([
    [179, 0],
    [181, 1],
    [179, 2],
    [179, 0],
  ]);
});
