// Tests drawing lines and zones by mouse, touch and keyboard, within the limits of the picture and the number of points.
import type { Point } from "@psp/contract/section/field.ts";
import { useLayoutEffect, useState } from "react";
import { afterEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { devtools } from "../../testing/pointer.ts";
import { redSquare } from "../../testing/picture.ts";
import { renderInApp } from "../../testing/render.tsx";
import { type EditableItem, PictureEditor } from "./PictureEditor.tsx";
import type { Picture } from "./PictureFrame.tsx";

const door: EditableItem = {
  id: "lines.l1",
  name: "Door",
  points: [
    { x: 40, y: 12.5 },
    { x: 60, y: 80 },
  ],
  closed: false,
  inSide: "left",
  isExact: true,
  min: 2,
  max: 4,
};
const shelf: EditableItem = {
  id: "zones.z1",
  name: "Shelf",
  points: [
    { x: 70, y: 20 },
    { x: 95, y: 20 },
    { x: 95, y: 60 },
    { x: 70, y: 60 },
  ],
  closed: true,
  isExact: true,
  min: 3,
  max: 16,
};

let items: readonly EditableItem[] = [];
const swapped: string[] = [];
let changes = 0;
type Start = { items?: EditableItem[]; selected?: string | null; readOnly?: boolean; picture?: Picture | null };

function Form({ items: start = [door, shelf], selected: first = null, readOnly = false, picture = null }: Start) {
  const [held, setHeld] = useState<readonly EditableItem[]>(start);
  const [selected, setSelected] = useState(first);
  useLayoutEffect(() => {
    items = held;
  }, [held]);
  return (
    <div style={{ width: 600, maxWidth: "100%" }}>
      <PictureEditor
        picture={picture}
        items={held}
        selected={selected}
        readOnly={readOnly}
        onSelect={setSelected}
        onChange={(id, points) => {
          changes += 1;
          setHeld(held.map((item) => (item.id === id ? { ...item, points } : item)));
        }}
        onSwap={(id) => swapped.push(id)}
      />
    </div>
  );
}

const canvas = () => page.getByRole("application", { name: "Lines and zones on the picture" });
const point = (name: string, n: number) =>
  page.getByRole("button", { name: new RegExp(`^${name}, point ${n}, `), exact: true });
const pointsOf = (id: string) => items.find((item) => item.id === id)?.points ?? [];
const box = () => canvas().element().getBoundingClientRect();
const at = ({ x, y }: Point) => ({ x: (x * box().width) / 100, y: (y * box().height) / 100 });
const focused = () => document.activeElement?.getAttribute("aria-label");
const focus = (name: string, n: number) => (point(name, n).element() as HTMLElement).focus();

const middleOf = (what: ReturnType<typeof point>): Point => {
  const { left, top, width, height } = what.element().getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
};

afterEach(() => {
  swapped.length = 0;
  changes = 0;
});

test("SE-07 points are named by their line, number and place, and moved by arrow keys within the picture", async () => {
  await renderInApp(<Form />);
  focus("Line Door", 2);
  expect(focused()).toBe("Line Door, point 2, x 60.0 %, y 80.0 %");
  await userEvent.keyboard("{ArrowRight}{ArrowUp}");
  expect(pointsOf("lines.l1")[1]).toEqual({ x: 60.5, y: 79.5 });
  await expect.element(page.getByRole("status").filter({ hasText: "x 60.5 %, y 79.5 %" })).toBeVisible();
  expect(focused()).toBe("Line Door, point 2, x 60.5 %, y 79.5 %");
  await userEvent.keyboard("{Shift>}{ArrowLeft}{ArrowDown}{/Shift}");
  expect(pointsOf("lines.l1")[1]).toEqual({ x: 55.5, y: 84.5 });
  await userEvent.keyboard("{Shift>}{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}{/Shift}");
  expect(pointsOf("lines.l1")[1]).toEqual({ x: 55.5, y: 100 });
  expect(pointsOf("lines.l1")[0]).toEqual(door.points[0]);
});

test("SE-07 keys add points up to the most and remove them down to the fewest; the focus goes along", async () => {
  await renderInApp(<Form />);
  focus("Line Door", 1);
  await userEvent.keyboard("{Enter}");
  expect(pointsOf("lines.l1")).toHaveLength(3);
  expect(focused()).toBe("Line Door, point 2, x 50.0 %, y 46.3 %");
  await userEvent.keyboard("{Insert}");
  expect(pointsOf("lines.l1")).toHaveLength(4);
  await userEvent.keyboard("{Insert}");
  expect(pointsOf("lines.l1")).toHaveLength(4);
  await expect.element(page.getByText("A line can have at most 4 points.", { exact: true })).toBeVisible();
  focus("Line Door", 4);
  await userEvent.keyboard("{Delete}");
  expect(focused()).toMatch(/^Line Door, point 3, /);
  await userEvent.keyboard("{Delete}{Delete}");
  expect(pointsOf("lines.l1")).toHaveLength(2);
  await expect.element(page.getByText("A line needs at least 2 points.", { exact: true })).toBeVisible();
});

test("SE-07 the tab key leads through all points: the first of each shape, and all of the one being drawn", async () => {
  await renderInApp(<Form />);
  const way: string[] = [];
  await userEvent.tab();
  for (let n = 0; n < 6; n += 1) {
    way.push(focused()?.replace(/, x.*/, "") ?? "");
    await userEvent.tab();
  }
  expect(way).toEqual([
    "Line Door, point 1",
    "Line Door, point 2",
    "Zone Shelf, point 1",
    "Zone Shelf, point 2",
    "Zone Shelf, point 3",
    "Zone Shelf, point 4",
  ]);
});

test("SE-07 a point is dragged by the mouse and stays inside the picture", async () => {
  await renderInApp(<Form />);
  await userEvent.dragAndDrop(point("Line Door", 1), canvas(), { targetPosition: at({ x: 20, y: 30 }) });
  const [first] = pointsOf("lines.l1");
  expect(first?.x).toBeCloseTo(20, 0);
  expect(first?.y).toBeCloseTo(30, 0);
  expect(focused()).toMatch(/^Line Door, point 1, /);
  const beyond = { x: box().width - 1, y: -40 };
  await userEvent.dragAndDrop(point("Line Door", 1), canvas(), { targetPosition: beyond, force: true });
  expect(pointsOf("lines.l1")[0]?.y).toBe(0);
});

test("SE-07 the form gets a point that is dragged where it is put down, and not on the way there", async () => {
  await renderInApp(<Form />);
  const { send, onScreen } = devtools();
  const start = middleOf(point("Line Door", 1));
  const mouse = (type: string, dx: number, dy: number) =>
    send("Input.dispatchMouseEvent", {
      type,
      button: "left",
      buttons: type === "mouseReleased" ? 0 : 1,
      clickCount: 1,
      ...onScreen({ x: start.x + dx, y: start.y + dy }),
    });
  await mouse("mousePressed", 0, 0);
  for (let step = 1; step <= 4; step += 1) await mouse("mouseMoved", step * 15, step * 20);
  await expect.element(point("Line Door", 1)).toHaveAccessibleName("Line Door, point 1, x 50.0 %, y 30.3 %");
  expect(changes).toBe(0);
  expect(pointsOf("lines.l1")).toEqual(door.points);
  // Keys are ignored during a drag.
  await userEvent.keyboard("{ArrowLeft}{Enter}");
  await mouse("mouseReleased", 60, 80);
  await expect.poll(() => pointsOf("lines.l1")).toEqual([{ x: 50, y: 30.3 }, door.points[1]]);
  expect(changes).toBe(1);

  // Escape cancels the drag and keeps the selection.
  await mouse("mousePressed", 60, 80);
  await mouse("mouseMoved", 120, 160);
  await expect.element(point("Line Door", 1)).toHaveAccessibleName(/x 60/);
  await userEvent.keyboard("{Escape}");
  await expect.element(point("Line Door", 1)).toHaveAccessibleName("Line Door, point 1, x 50.0 %, y 30.3 %");
  await mouse("mouseMoved", 140, 180);
  await mouse("mouseReleased", 140, 180);
  await expect.element(page.getByText(/^Line Door: drag its points/)).toBeVisible();
  focus("Line Door", 1);
  expect(focused()).toBe("Line Door, point 1, x 50.0 %, y 30.3 %");
  expect(changes).toBe(1);
});

test(
  "SE-07 what is drawn otherwise than the form has it can be selected, and not be changed",
  { tags: "prove" },
  async () => {
    const typed = { ...shelf, isExact: false };
    await renderInApp(<Form items={[typed, door]} />);
    expect(page.getByRole("button", { name: /^Zone Shelf/ }).elements()).toEqual([]);
    await canvas().click({ position: at({ x: 82, y: 40 }) });
    await expect
      .element(page.getByText("Zone Shelf has invalid points. Correct them in the fields below to edit it here."))
      .toBeVisible();
    await canvas().click({ position: at({ x: 82, y: 20 }) });
    await canvas().click({ position: at({ x: 82, y: 40 }) });
    // The line can be edited, and its new point gets the focus.
    focus("Line Door", 1);
    await userEvent.keyboard("{Enter}");
    expect(focused()).toMatch(/^Line Door, point 2, /);
    expect(pointsOf("zones.z1")).toEqual(shelf.points);
    expect(changes).toBe(1);
  },
);

test(
  "SE-07 a click on an edge adds a point there, one on the picture at the end of what is being drawn",
  { tags: "prove" },
  async () => {
    await renderInApp(<Form selected="lines.l1" />);
    await canvas().click({ position: at({ x: 50, y: 46.2 }) });
    expect(pointsOf("lines.l1").map(({ x }) => Math.round(x))).toEqual([40, 50, 60]);
    await canvas().click({ position: at({ x: 20, y: 90 }) });
    expect(pointsOf("lines.l1").map(({ x }) => Math.round(x))).toEqual([40, 50, 60, 20]);
    expect(focused()).toMatch(/^Line Door, point 4, /);
    await canvas().click({ position: at({ x: 10, y: 90 }) });
    expect(pointsOf("lines.l1")).toHaveLength(4);
    await expect.element(page.getByText("A line can have at most 4 points.")).toBeVisible();
  },
);

test("SE-07 with nothing selected a click selects: an edge, or the zone around it; Escape lets go", async () => {
  await renderInApp(<Form />);
  await canvas().click({ position: at({ x: 82, y: 40 }) });
  await expect.element(page.getByText(/^Zone Shelf: drag its points/)).toBeVisible();
  // A click elsewhere would add a point to the selected item. A click on the edge of another item selects that item.
  await canvas().click({ position: at({ x: 50, y: 46.2 }) });
  await expect.element(page.getByText(/^Line Door: drag its points/)).toBeVisible();
  expect(pointsOf("lines.l1")).toHaveLength(2);
  focus("Line Door", 1);
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByText("Select a line or zone to change it.")).toBeVisible();
  expect(pointsOf("zones.z1")).toHaveLength(4);
});

test("SE-07 Swap turns the line that is selected; a zone has no sides", async () => {
  await renderInApp(<Form selected="lines.l1" />);
  await page.getByRole("button", { name: "Swap" }).click();
  expect(swapped).toEqual(["lines.l1"]);
  focus("Zone Shelf", 1);
  await expect.element(page.getByRole("button", { name: "Swap" })).not.toBeInTheDocument();
});

test("SE-07 edges that cross are shown dashed and said at once, and no more once they do not", async () => {
  await renderInApp(<Form selected="zones.z1" />);
  const dashed = () => canvas().element().querySelectorAll("[stroke-dasharray]").length;
  expect(dashed()).toBe(0);
  focus("Zone Shelf", 1);
  // Moves the first point past the third, so that edges cross.
  await userEvent.keyboard("{Shift>}{ArrowRight}{ArrowRight}{ArrowRight}{ArrowRight}{ArrowRight}{ArrowRight}{/Shift}");
  await userEvent.keyboard("{Shift>}{ArrowDown}{ArrowDown}{/Shift}");
  await expect.element(page.getByText("The edges of Shelf cross.", { exact: true })).toBeVisible();
  expect(dashed()).toBe(1);
  await userEvent.keyboard("{Shift>}{ArrowLeft}{ArrowLeft}{ArrowLeft}{ArrowLeft}{ArrowLeft}{ArrowLeft}{/Shift}");
  await expect.element(page.getByText("The edges of Shelf cross.")).not.toBeInTheDocument();
  expect(dashed()).toBe(0);
});

test("SE-07 who may not change it sees it all and can move nothing", async () => {
  const picture = {
    name: "Ceiling",
    width: 640,
    height: 480,
    url: `data:image/jpeg;base64,${await redSquare("image/jpeg")}`,
  };
  await renderInApp(<Form readOnly picture={picture} />);
  await expect.element(page.getByRole("img", { name: "Camera Ceiling", exact: true })).toBeVisible();
  await expect.element(page.getByText("Shelf", { exact: true })).toBeVisible();
  await expect.element(page.getByText("In", { exact: true })).toBeVisible();
  expect(page.getByRole("button").elements()).toEqual([]);
  const drawing = page.getByRole("group", { name: "Lines and zones on the picture" });
  await drawing.click({ position: { x: 30, y: 30 } });
  expect(pointsOf("lines.l1")).toEqual(door.points);
});

test("SE-07 the picture's box never changes, and a tall picture keeps its proportions", async () => {
  const url = `data:image/jpeg;base64,${await redSquare("image/jpeg")}`;
  const { rerender } = await renderInApp(<Form />);
  const frame = () => canvas().element().parentElement?.parentElement?.getBoundingClientRect();
  const before = frame();
  await expect.element(page.getByText("No picture")).toBeVisible();
  await rerender(<Form picture={{ name: "Ceiling", width: 480, height: 640, url }} />);
  await expect.element(page.getByRole("img", { name: "Camera Ceiling" })).toBeVisible();
  expect(frame()?.height).toBe(before?.height);
  expect(box().width / box().height).toBeCloseTo(480 / 640, 2);
  await rerender(
    <Form picture={{ name: "Ceiling", width: 480, height: 640, url: "data:image/jpeg;base64,/9j/AAAA" }} />,
  );
  await expect.element(page.getByText("No picture")).toBeVisible();
  expect(frame()?.height).toBe(before?.height);
});

test("SE-07 on a phone a finger drags a point and the page stays where it is", { tags: "prove" }, async () => {
  await page.viewport(390, 844);
  const { container } = await renderInApp(<Form />);
  container.style.paddingBottom = "1200px";
  const { send, onScreen } = devtools();
  const start = middleOf(point("Line Door", 1));
  const touch = (type: string, ...steps: number[]) =>
    send("Input.dispatchTouchEvent", {
      type,
      touchPoints: steps.map((step) => onScreen({ x: start.x + step * 3, y: start.y + step * 12 })),
    });
  const drag = async () => {
    await touch("touchStart", 0);
    for (let step = 1; step <= 10; step += 1) await touch("touchMove", step);
  };
  await drag();
  // The drag ends without a change if the system cancels the touch, e.g. for its own gesture.
  await expect.element(point("Line Door", 1)).not.toHaveAccessibleName(/x 40.0 %/);
  await touch("touchCancel");
  await expect.element(point("Line Door", 1)).toHaveAccessibleName("Line Door, point 1, x 40.0 %, y 12.5 %");
  expect(changes).toBe(0);
  await drag();
  await touch("touchEnd");
  await expect.poll(() => pointsOf("lines.l1")[0]?.y).toBeGreaterThan(12.5 + 30);
  expect(pointsOf("lines.l1")[0]?.x).toBeGreaterThan(40 + 5);
  expect(changes).toBe(1);
  expect(window.scrollY).toBe(0);
});
