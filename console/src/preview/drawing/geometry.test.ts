// Tests limits, insertion and removal of points, and the "in" side of lines.
import { expect, test } from "vitest";
import { toDrawnItems } from "./drawn-items.ts";
import {
  arrowsOf,
  edgesOf,
  newPointAfter,
  withPointInserted,
  isInside,
  withPointMoved,
  nearestPointOnEdge,
  withPointRemoved,
} from "./geometry.ts";

const line = [
  { x: 10, y: 50 },
  { x: 90, y: 50 },
];
const square = [
  { x: 20, y: 20 },
  { x: 80, y: 20 },
  { x: 80, y: 80 },
  { x: 20, y: 80 },
];
const picture = { width: 640, height: 480 };

test("SE-07 a point is kept inside the picture, with one decimal", () => {
  expect(withPointMoved(line, 0, { x: -3, y: 100.04 })[0]).toEqual({ x: 0, y: 100 });
  expect(withPointMoved(line, 1, { x: 33.349, y: 0.05 })[1]).toEqual({ x: 33.3, y: 0.1 });
  expect(withPointInserted(line, 1, { x: 50.06, y: 120 })).toEqual([line[0], { x: 50.1, y: 100 }, line[1]]);
  expect(withPointRemoved(square, 2)).toEqual([square[0], square[1], square[3]]);
});

test("SE-07 a new point is placed halfway, beyond the line's end, or inside the picture's edge", () => {
  expect(newPointAfter(line, 0, false)).toEqual({ x: 50, y: 50 });
  expect(newPointAfter(line, 1, false)).toEqual({ x: 100, y: 50 });
  expect(
    newPointAfter(
      [
        { x: 10, y: 50 },
        { x: 100, y: 50 },
      ],
      1,
      false,
    ),
  ).toEqual({ x: 90, y: 50 });
  expect(newPointAfter(square, 3, true)).toEqual({ x: 20, y: 50 });
});

test("SE-07 the last edge of a zone leads back, that of a line does not", () => {
  expect(edgesOf(square, true).map(({ index }) => index)).toEqual([1, 2, 3, 4]);
  expect(edgesOf(square, false)).toHaveLength(3);
});

test("SE-07 a click beside an edge lands on it, in the picture's proportions", () => {
  const [from, to] = [
    { x: 0, y: 0 },
    { x: 100, y: 100 },
  ];
  // The nearest point depends on the picture's proportions.
  expect(nearestPointOnEdge(from, to, { x: 100, y: 0 }, { width: 100, height: 100 })).toEqual({ x: 50, y: 50 });
  expect(nearestPointOnEdge(from, to, { x: 100, y: 0 }, { width: 200, height: 100 })).toEqual({ x: 80, y: 80 });
  expect(nearestPointOnEdge(from, to, { x: 180, y: 120 }, picture)).toEqual({ x: 100, y: 100 });
  expect(nearestPointOnEdge(from, from, { x: 50, y: 50 }, picture)).toEqual({ x: 0, y: 0 });
});

test("SE-07 inside a zone is what its edges enclose", () => {
  expect(isInside(square, { x: 50, y: 50 })).toBe(true);
  expect(isInside(square, { x: 10, y: 50 })).toBe(false);
  const notched = [...square, { x: 50, y: 50 }];
  expect(isInside(notched, { x: 25, y: 50 })).toBe(false);
  expect(isInside(notched, { x: 75, y: 50 })).toBe(true);
});

test.each([
  ["to the right", line, "left", { x: 320, y: 240 - 43.2 }],
  ["to the right", line, "right", { x: 320, y: 240 + 43.2 }],
  ["to the left", line.toReversed(), "left", { x: 320, y: 240 + 43.2 }],
  [
    "down",
    [
      { x: 50, y: 0 },
      { x: 50, y: 100 },
    ],
    "left",
    { x: 320 + 43.2, y: 240 },
  ],
] as const)("SE-07 of a line that runs %s the %#. arrow points to the side that is in", (_way, points, side, tip) => {
  const [arrow] = arrowsOf(points, side, picture);
  expect(arrow?.from).toEqual({ x: 320, y: 240 });
  expect(arrow?.to.x).toBeCloseTo(tip.x, 6);
  expect(arrow?.to.y).toBeCloseTo(tip.y, 6);
});

test("SE-07 what a form holds half filled in is drawn as far as it goes", () => {
  const values = {
    lines: [
      { id: "l1", name: 7, points: [{ x: "1", y: 2 }, { x: 200, y: 2 }, null], inSide: "right" },
      { id: "l2", name: "None", points: [] },
      "nonsense",
    ],
    zones: { 0: "no list" },
  };
  expect(toDrawnItems(values)).toEqual([
    { id: "lines.l1", name: "", points: [{ x: 100, y: 2 }], closed: false, inSide: "right", isExact: false },
  ]);
});

test.each([
  [{ x: 12.3, y: 0 }, true],
  [{ x: null, y: 50 }, false],
  [{ x: "1,", y: 50 }, false],
  [{ x: 12.34, y: 50 }, false],
  [{ x: 100.1, y: 50 }, false],
])("SE-07 a line with the point %o is drawn as the form has it: %s", (point, isExact) => {
  const values = { lines: [{ id: "l1", name: "Door", points: [...line, point], inSide: "left" }] };
  expect(toDrawnItems(values)[0]?.isExact).toBe(isExact);
});
