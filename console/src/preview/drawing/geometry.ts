// Geometry of lines and zones in percent of the picture, as pure functions.
import type { Point } from "@psp/contract/section/field.ts";

export type Size = { width: number; height: number };
export type Side = "left" | "right";
type Points = readonly Point[];

const within = (percent: number) => Math.round(Math.min(100, Math.max(0, percent)) * 10) / 10;

/** Clamped to the picture and rounded to one decimal, as stored. */
export const clampPoint = ({ x, y }: Point): Point => ({ x: within(x), y: within(y) });

export const withPointMoved = (points: Points, index: number, to: Point): Points => points.with(index, clampPoint(to));
export const withPointInserted = (points: Points, index: number, point: Point): Points =>
  points.toSpliced(index, 0, clampPoint(point));
export const withPointRemoved = (points: Points, index: number): Points => points.toSpliced(index, 1);

const toward = (a: Point, b: Point, share: number): Point => ({
  x: a.x + (b.x - a.x) * share,
  y: a.y + (b.y - a.y) * share,
});
export const isSamePoint = (a: Point, b: Point) => a.x === b.x && a.y === b.y;
const middle: Point = { x: 50, y: 50 };

/** A new point after `index`, halfway to the next point. After a line's last point, it lies beyond the end if there is room. */
export function newPointAfter(points: Points, index: number, closed: boolean): Point {
  const from = points[index] ?? middle;
  const next = points[index + 1] ?? (closed ? points[0] : undefined);
  if (next !== undefined) return clampPoint(toward(from, next, 0.5));
  const beyond = clampPoint(toward(from, points[index - 1] ?? middle, -0.5));
  return isSamePoint(beyond, from) ? clampPoint(toward(from, middle, 0.2)) : beyond;
}

/**
 * Edges in order. A new point on an edge must be inserted at the edge's `index`. A zone's last edge returns to the first
 * point.
 */
export function edgesOf(points: Points, closed: boolean): { from: Point; to: Point; index: number }[] {
  return points.flatMap((from, n) => {
    const to = points[n + 1] ?? (closed ? points[0] : undefined);
    return to === undefined ? [] : [{ from, to, index: n + 1 }];
  });
}

/** Needs the size of the picture, because its proportions determine which point is nearest. */
export function nearestPointOnEdge(from: Point, to: Point, at: Point, { width, height }: Size): Point {
  const dx = (to.x - from.x) * width;
  const dy = (to.y - from.y) * height;
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : ((at.x - from.x) * width * dx + (at.y - from.y) * height * dy) / length;
  return clampPoint(toward(from, to, Math.min(1, Math.max(0, share))));
}

/** Uses ray casting. */
export function isInside(points: Points, { x, y }: Point): boolean {
  return edgesOf(points, true).reduce((inside, { from, to }) => {
    const crosses = from.y > y !== to.y > y && x < from.x + ((y - from.y) / (to.y - from.y)) * (to.x - from.x);
    return crosses ? !inside : inside;
  }, false);
}

export type Arrow = { from: Point; to: Point; length: number };

/**
 * For each edge, an arrow in pixels from the edge's middle toward the "in" side. Left and right are as seen when moving from the
 * first point to the last; y grows downward.
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
