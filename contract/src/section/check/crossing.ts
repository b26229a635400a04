// Checks whether the edges of a zone cross. Coordinates are converted to integers (tenths of a percent), so there are no rounding
// errors.
import type { Point } from "../field.ts";

const tenths = ({ x, y }: Point): Point => ({ x: Math.round(x * 10), y: Math.round(y * 10) });

/** On which side of the line ab point c lies: 1, -1, or 0 on the line. */
function side(a: Point, b: Point, c: Point): number {
  return Math.sign((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
}

function isBetween(a: Point, b: Point, c: Point): boolean {
  return (
    Math.min(a.x, b.x) <= c.x && c.x <= Math.max(a.x, b.x) && Math.min(a.y, b.y) <= c.y && c.y <= Math.max(a.y, b.y)
  );
}

const isOn = (a: Point, b: Point, c: Point) => side(a, b, c) === 0 && isBetween(a, b, c);
const isSame = (a: Point, b: Point) => a.x === b.x && a.y === b.y;

function touch(a: Point, b: Point, c: Point, d: Point): boolean {
  if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) return true;
  return isOn(a, b, c) || isOn(a, b, d) || isOn(c, d, a) || isOn(c, d, b);
}

/** Whether the edge from `corner` to `c` runs back over the edge from `a` to `corner`. */
function runsBack(a: Point, corner: Point, c: Point): boolean {
  return isOn(a, corner, c) || isOn(corner, c, a);
}

/** Whether any two edges share a point, except the corner between adjacent edges. Edges of length 0 count as crossing. */
export function hasCrossingEdges(corners: readonly Point[]): boolean {
  const at = corners.map(tenths);
  const edges = at.map((from, n) => ({ from, to: at[(n + 1) % at.length] ?? from }));
  if (edges.some(({ from, to }) => isSame(from, to))) return true;
  return edges.some(({ from, to }, n) =>
    edges.slice(n + 1).some((other, ahead) => {
      if (ahead === 0) return runsBack(from, to, other.to);
      if (n === 0 && ahead === edges.length - 2) return runsBack(other.from, from, to);
      return touch(from, to, other.from, other.to);
    }),
  );
}
