// Groups overlapping points into one marker. Clusters depend on the integer zoom only, so that they don't change while the map is
// panned.
import { type LngLat, project, worldPixels } from "./mercator.ts";

export type MapPoint = LngLat & { id: string };

/** Points under one marker; `at` is their mean in Web Mercator coordinates from 0 to 1. */
export type Cluster = { key: string; ids: string[]; at: readonly [x: number, y: number] };

/** Edge length of the grid cells in which points are grouped. */
const cellPixels = 72;
/** Markers closer than this are merged. */
const nearestPixels = 44;

type Cell = { column: number; row: number; ids: string[]; x: number; y: number };

/** Clusters per integer zoom, computed on first use. */
export function createClusterIndex(points: readonly MapPoint[]): (zoom: number) => readonly Cluster[] {
  const placed = points.map((point) => [point.id, ...project(point)] as const);
  const levels = new Map<number, readonly Cluster[]>();
  return (zoom) => {
    const level = Math.max(0, Math.floor(zoom));
    const known = levels.get(level) ?? clustersAt(placed, worldPixels(level));
    levels.set(level, known);
    return known;
  };
}

function clustersAt(placed: readonly (readonly [string, number, number])[], pixels: number): Cluster[] {
  const across = Math.ceil(pixels / cellPixels);
  const cells = new Map<number, Cell>();
  for (const [id, x, y] of placed) {
    const [column, row] = [Math.floor(x * across), Math.floor(y * across)];
    const key = row * (across + 1) + column;
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, { column, row, ids: [id], x, y });
    else {
      cell.ids.push(id);
      cell.x += x;
      cell.y += y;
    }
  }
  const near = nearestPixels / pixels;
  const taken = new Set<number>();
  const clusters: Cluster[] = [];
  // Larger clusters absorb those that are too close.
  for (const [key, cell] of [...cells].toSorted(([, a], [, b]) => b.ids.length - a.ids.length)) {
    if (taken.has(key)) continue;
    taken.add(key);
    const middle = meanOf(cell);
    const parts = [cell];
    for (const dy of [-1, 0, 1])
      for (const dx of [-1, 0, 1]) {
        const beside = (cell.row + dy) * (across + 1) + cell.column + dx;
        const other = cells.get(beside);
        if (other === undefined || taken.has(beside)) continue;
        const [x, y] = meanOf(other);
        if (Math.hypot(x - middle[0], y - middle[1]) >= near) continue;
        taken.add(beside);
        parts.push(other);
      }
    clusters.push({ key: `${pixels} ${key}`, ids: parts.flatMap(({ ids }) => ids), at: middle });
  }
  return clusters;
}

const meanOf = ({ x, y, ids }: Cell) => [x / ids.length, y / ids.length] as const;
