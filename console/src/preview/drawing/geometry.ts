// What happens to the points of a line or a zone, in percent of the picture; and where its arrows stand. Pure.
import type { Point } from "@psp/contract/section/field.ts";

export type Size = { width: number; height: number };
export type Side = "left" | "right";
type Points = readonly Point[];

const within = (percent: number) => Math.round(Math.min(100, Math.max(0, percent)) * 10) / 10;

/** As it is stored: inside the picture, with one decimal. */
export const placed = ({ x, y }: Point): Point => ({ x: within(x), y: within(y) });

export const moved = (points: Points, index: number, to: Point): Points => points.with(index, placed(to));
export const inserted = (points: Points, index: number, point: Point): Points =>
  points.toSpliced(index, 0, placed(point));
export const removed = (points: Points, index: number): Points => points.toSpliced(index, 1);

const toward = (a: Point, b: Point, share: number): Point => ({
  x: a.x + (b.x - a.x) * share,
  y: a.y + (b.y - a.y) * share,
});
export const isSame = (a: Point, b: Point) => a.x === b.x && a.y === b.y;
const middle: Point = { x: 50, y: 50 };

/** A point that follows on the one at `index`: halfway to the next; a line goes on beyond its end, while there is room. */
export function following(points: Points, index: number, closed: boolean): Point {
  const from = points[index] ?? middle;
  const next = points[index + 1] ?? (closed ? points[0] : undefined);
  if (next !== undefined) return placed(toward(from, next, 0.5));
  const beyond = placed(toward(from, points[index - 1] ?? middle, -0.5));
  return isSame(beyond, from) ? placed(toward(from, middle, 0.2)) : beyond;
}

/** The edges in their order, each with the index that a point on it gets. A zone's last one leads back to its beginning. */
export function edgesOf(points: Points, closed: boolean): { from: Point; to: Point; index: number }[] {
  return points.flatMap((from, n) => {
    const to = points[n + 1] ?? (closed ? points[0] : undefined);
    return to === undefined ? [] : [{ from, to, index: n + 1 }];
  });
}

/** The point of an edge that is nearest to `at` on a picture of this size. */
export function nearestOn(from: Point, to: Point, at: Point, { width, height }: Size): Point {
  const dx = (to.x - from.x) * width;
  const dy = (to.y - from.y) * height;
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : ((at.x - from.x) * width * dx + (at.y - from.y) * height * dy) / length;
  return placed(toward(from, to, Math.min(1, Math.max(0, share))));
}

/** Whether a point lies inside a zone: whether a ray from it meets an odd number of edges. */
export function isInside(points: Points, { x, y }: Point): boolean {
  return edgesOf(points, true).reduce((inside, { from, to }) => {
    const crosses = from.y > y !== to.y > y && x < from.x + ((y - from.y) / (to.y - from.y)) * (to.x - from.x);
    return crosses ? !inside : inside;
  }, false);
}

export type Arrow = { from: Point; to: Point; length: number };

/**
 * An arrow from the middle of each edge to the side that is in, in the picture's own pixels. Left and right are seen by
 * who goes from the first point to the last; on a picture y grows downward.
 */
export function arrowsOf(points: Points, inSide: Side, { width, height }: Size): Arrow[] {
  const reach = Math.min(width, height) * 0.09;
  return edgesOf(points, false).flatMap(({ from, to }) => {
    const dx = ((to.x - from.x) * width) / 100;
    const dy = ((to.y - from.y) * height) / 100;
    const length = Math.hypot(dx, dy);
    if (length === 0) return [];
    const turn = inSide === "left" ? 1 : -1;
    const start = { x: ((from.x + to.x) * width) / 200, y: ((from.y + to.y) * height) / 200 };
    const end = { x: start.x + (turn * dy * reach) / length, y: start.y - (turn * dx * reach) / length };
    return [{ from: start, to: end, length }];
  });
}
