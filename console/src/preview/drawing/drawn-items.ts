// Converts the lines and zones of a sensor's applications to items that can be drawn.
import { type Point, type Values } from "@psp/contract/section/field.ts";
import { idOf, itemsAt, valueAt } from "@psp/contract/section/values.ts";
import { isSamePoint, clampPoint, type Side } from "./geometry.ts";

export type DrawnItem = {
  id: string;
  name: string;
  points: readonly Point[];
  /** Whether the last point is joined to the first (zones). */
  closed: boolean;
  /** Only for lines: the "in" side, looking from the first point to the last. */
  inSide?: Side;
  /** False if a coordinate is invalid. The drawing is then incomplete and must not overwrite the form. */
  isExact: boolean;
};

/** Lines and zones, with ids such as `lines.l1`. Omits items that can't be drawn because the form is incomplete. */
export function toDrawnItems(values: Values): DrawnItem[] {
  return [
    ...itemsAt(values, "lines").flatMap((item) => drawn(item, "lines", false)),
    ...itemsAt(values, "zones").flatMap((item) => drawn(item, "zones", true)),
  ];
}

function drawn(item: unknown, list: string, closed: boolean): DrawnItem[] {
  const id = idOf(item);
  const name = valueAt(item, "name");
  const held = itemsAt(item, "points");
  const points = held.filter(isPoint).map(clampPoint);
  if (id === null || points.length === 0) return [];
  const isExact = held.every((point) => isPoint(point) && isSamePoint(clampPoint(point), point));
  const shape = { id: `${list}.${id}`, name: typeof name === "string" ? name : "", points, closed, isExact };
  return [closed ? shape : { ...shape, inSide: valueAt(item, "inSide") === "right" ? "right" : "left" }];
}

const isPoint = (value: unknown): value is Point =>
  Number.isFinite(valueAt(value, "x")) && Number.isFinite(valueAt(value, "y"));
