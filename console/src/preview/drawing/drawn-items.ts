// Lines and zones as they are drawn, read from the values of a sensor's applications.
import { type Point, type Values } from "@psp/contract/section/field.ts";
import { idOf, itemsAt, valueAt } from "@psp/contract/section/values.ts";
import { isSame, placed, type Side } from "./geometry.ts";

export type DrawnItem = {
  /** Unique among all that are drawn together. */
  id: string;
  name: string;
  points: readonly Point[];
  /** A zone, whose last point is joined to its first. */
  closed: boolean;
  /** Of a line: on which side one is in, seen from its first point. */
  inSide?: Side;
  /** False while a coordinate is none that can be stored: what is drawn is less than what the form holds, and must not replace it. */
  isExact: boolean;
};

/** All lines and zones, under ids such as `lines.l1`. What can't be drawn, since a form is still being filled in, is left out. */
export function drawnItems(values: Values): DrawnItem[] {
  return [
    ...itemsAt(values, "lines").flatMap((item) => drawn(item, "lines", false)),
    ...itemsAt(values, "zones").flatMap((item) => drawn(item, "zones", true)),
  ];
}

function drawn(item: unknown, list: string, closed: boolean): DrawnItem[] {
  const id = idOf(item);
  const name = valueAt(item, "name");
  const held = itemsAt(item, "points");
  const points = held.filter(isPoint).map(placed);
  if (id === null || points.length === 0) return [];
  const isExact = held.every((point) => isPoint(point) && isSame(placed(point), point));
  const shape = { id: `${list}.${id}`, name: typeof name === "string" ? name : "", points, closed, isExact };
  return [closed ? shape : { ...shape, inSide: valueAt(item, "inSide") === "right" ? "right" : "left" }];
}

const isPoint = (value: unknown): value is Point =>
  Number.isFinite(valueAt(value, "x")) && Number.isFinite(valueAt(value, "y"));
