// Tests edge crossing against a brute-force oracle that lists all possible intersection points.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Point } from "../field.ts";
import { hasCrossingEdges } from "./crossing.ts";

/** On a 4 × 4 grid, edges intersect at fractions with denominators of at most 18. */
const fractions = Array.from({ length: 18 }, (_, n) => n + 1).flatMap((below) =>
  Array.from({ length: below + 1 }, (_, above) => [above, below] as const),
);
const divisor = (a: number, b: number): number => (b === 0 ? Math.abs(a) : divisor(b, a % b));
function fraction(above: number, below: number): string {
  const by = divisor(above, below) || 1;
  return `${above / by}/${below / by}`;
}
type Corner = readonly [number, number];

/** Lists points of an edge that may be intersections, as exact fractions. */
function pointsOf([ax, ay]: Corner, [bx, by]: Corner): Set<string> {
  return new Set(
    fractions.map(
      ([above, below]) =>
        `${fraction(ax * below + above * (bx - ax), below)} ${fraction(ay * below + above * (by - ay), below)}`,
    ),
  );
}

/** Whether edges cross. Adjacent edges may share only their corner, and other edges no point. */
function crossesByListing(corners: readonly Corner[]): boolean {
  const count = corners.length;
  const edges = corners.map((corner, n) => pointsOf(corner, corners[(n + 1) % count] ?? corner));
  return edges.some((edge, n) =>
    edges.some((other, m) => {
      if (m <= n) return false;
      const isNeighbor = m === n + 1 || (n === 0 && m === count - 1);
      return edge.intersection(other).size > (isNeighbor ? 1 : 0) || edge.size === 1 || other.size === 1;
    }),
  );
}

const onScreen = ([x, y]: Corner): Point => ({ x: (x * 333) / 10, y: (y * 333) / 10 });
const coordinate = fc.integer({ min: 0, max: 3 });
const corners = fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 7 });

test("SE-07 edges of zones cross exactly where a listing of their points finds one too many", () => {
  const seen = { crossing: 0, simple: 0 };
  fc.assert(
    fc.property(corners, (those) => {
      const crosses = crossesByListing(those);
      seen[crosses ? "crossing" : "simple"] += 1;
      expect(hasCrossingEdges(those.map(onScreen))).toBe(crosses);
    }),
    { seed: 7, numRuns: 2000 },
  );
  expect(Math.min(seen.crossing, seen.simple)).toBeGreaterThan(100);
});

test("the same zone from another corner, the other way around or mirrored crosses or not as before", () => {
  const percent = fc.integer({ min: 0, max: 1000 }).map((n) => n / 10);
  const zone = fc.array(fc.record({ x: percent, y: percent }), { minLength: 3, maxLength: 16 });
  fc.assert(
    fc.property(zone, fc.nat({ max: 15 }), (those, turn) => {
      const first = turn % those.length;
      const crosses = hasCrossingEdges(those);
      expect(hasCrossingEdges([...those.slice(first), ...those.slice(0, first)])).toBe(crosses);
      expect(hasCrossingEdges(those.toReversed())).toBe(crosses);
      expect(hasCrossingEdges(those.map(({ x, y }) => ({ x: y, y: x })))).toBe(crosses);
    }),
    { seed: 16, numRuns: 1000 },
  );
});

test.each<[string, Corner[], boolean]>([
  [
    "a triangle",
    [
      [0, 0],
      [9, 0],
      [0, 9],
    ],
    false,
  ],
  [
    "a bow tie",
    [
      [0, 0],
      [9, 9],
      [9, 0],
      [0, 9],
    ],
    true,
  ],
  [
    "a notch",
    [
      [0, 0],
      [9, 0],
      [5, 4],
      [9, 9],
      [0, 9],
    ],
    false,
  ],
  [
    "a corner on another edge",
    [
      [0, 0],
      [9, 0],
      [9, 9],
      [5, 0],
      [0, 9],
    ],
    true,
  ],
  [
    "a spike",
    [
      [0, 0],
      [9, 0],
      [4, 0],
      [4, 9],
    ],
    true,
  ],
  [
    "the same corner twice",
    [
      [0, 0],
      [0, 0],
      [9, 9],
      [0, 9],
    ],
    true,
  ],
  [
    "a corner on a straight edge of its own",
    [
      [0, 0],
      [4, 0],
      [9, 0],
      [0, 9],
    ],
    false,
  ],
])("%s", (_, those, crosses) => {
  expect(hasCrossingEdges(those.map(([x, y]) => ({ x, y })))).toBe(crosses);
});
