// Texts about drawing lines and zones on a camera picture.
import type { Point } from "@psp/contract/section/field.ts";

type Named = { name: string; closed: boolean };

const shape = ({ closed }: Named) => (closed ? "zone" : "line");
const titleOf = (item: Named) =>
  item.name === "" ? `New ${shape(item)}` : `${item.closed ? "Zone" : "Line"} ${item.name}`;
const placeOf = ({ x, y }: Point) => `x ${x.toFixed(1)} %, y ${y.toFixed(1)} %`;

export const drawingText = {
  canvas: "Lines and zones on the picture",
  camera: (name: string) => `Camera ${name}`,
  noPicture: "No picture",
  title: titleOf,
  point: (item: Named, n: number, at: Point) => `${titleOf(item)}, point ${n}, ${placeOf(at)}`,
  place: placeOf,
  keys: "Move the point with the arrow keys, or faster with Shift. Press Enter to add a point after it, Delete to remove it.",
  in: "In",
  swap: "Swap",
  choose: "Select a line or zone to change it.",
  editing: (item: Named) =>
    `${titleOf(item)}: drag its points. Click an edge to add a point there, or the picture to add a point at the end.`,
  inexact: (item: Named) => `${titleOf(item)} has invalid points. Correct them in the fields below to edit it here.`,
  full: (item: Named, max: number) => `A ${shape(item)} can have at most ${max} points.`,
  fewest: (item: Named, min: number) => `A ${shape(item)} needs at least ${min} points.`,
  added: (n: number, at: Point) => `Point ${n} added, ${placeOf(at)}`,
  removed: (n: number) => `Point ${n} removed`,
  cross: (item: Named) => `The edges of ${item.name === "" ? "the zone" : item.name} cross.`,
} as const;
