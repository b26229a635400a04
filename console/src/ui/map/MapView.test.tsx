// Tests the markers of a map, its keyboard control, its fallback without WebGL, and the movable pin.
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { renderInApp } from "../../testing/render.tsx";
import type { MapPoint } from "./clusters.ts";
import { MapView } from "./MapView.tsx";

const points: MapPoint[] = [
  { id: "a", lng: 13.4, lat: 52.5 },
  { id: "b", lng: 13.41, lat: 52.51 },
  { id: "c", lng: -70, lat: -30 },
];
const labelOf = (ids: readonly string[]) => (ids.length === 1 ? `Shop ${ids[0]}` : `${ids.length} shops`);
const region = () => page.getByRole("region", { name: "Map", exact: true });

test("DB-03 markers are buttons named by place or number, and open by keyboard; zooming in parts a group", async () => {
  const opened: (readonly string[])[] = [];
  await renderInApp(
    <MapView
      start={{ lng: 0, lat: 0, zoom: 1 }}
      height={480}
      tiles={null}
      points={points}
      labelOf={labelOf}
      onOpen={(ids) => opened.push(ids)}
    />,
  );
  await expect.element(region()).toBeVisible();
  const group = region().getByRole("button", { name: "2 shops" });
  await expect.element(group).toBeVisible();
  await region().getByRole("button", { name: "Shop c" }).click();
  (group.element() as HTMLElement).focus();
  await userEvent.keyboard("{Enter}");
  expect(opened).toEqual([["c"], ["a", "b"]]);
  // The drawing loads without user input; its canvas is reachable by keyboard, too.
  await expect.element(region().getByRole("application")).toBeVisible();
  await expect.element(region().getByText("Natural Earth, GeoNames")).toBeVisible();
});

test("DB-03 without WebGL markers, zoom and sources are still there", { tags: "prove" }, async () => {
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
  await renderInApp(
    <MapView start={{ lng: 13.4, lat: 52.5, zoom: 10 }} height={300} tiles={null} points={points} labelOf={labelOf} />,
  );
  await expect.element(region().getByRole("button", { name: "2 shops" })).toBeVisible();
  for (let step = 0; step < 5; step += 1) await region().getByRole("button", { name: "Zoom in" }).click();
  await expect.element(region().getByRole("button", { name: "Shop a" })).toBeVisible();
  expect(region().getByRole("application").elements()).toEqual([]);
});

test("LO-02 a pin moves by the arrow keys, and only where it may", { tags: "prove" }, async () => {
  const at = { lng: 13.4, lat: 52.5 };
  const moved: { lng: number; lat: number }[] = [];
  const pin = { at, label: "Position", hint: "Drag it", onMove: (to: typeof at) => void moved.push(to) };
  const start = { ...at, zoom: 14 };
  const { rerender } = await renderInApp(<MapView start={start} height={300} tiles={null} pin={pin} />);
  const button = region().getByRole("button", { name: "Position" });
  await expect.element(button).toBeVisible();
  (button.element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowRight}{ArrowUp}");
  expect(moved).toHaveLength(2);
  expect(moved[0]?.lng).toBeGreaterThan(at.lng);
  expect(moved[0]?.lat).toBeCloseTo(at.lat, 9);
  expect(moved[1]?.lat).toBeGreaterThan(at.lat);
  await rerender(<MapView start={start} height={300} tiles={null} pin={{ ...pin, onMove: undefined }} />);
  await userEvent.keyboard("{ArrowRight}");
  expect(moved).toHaveLength(2);
});

test(
  "SE-06 a circle has its size in meters at each zoom, and is never too small to be seen",
  { tags: "prove" },
  async () => {
    vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
    const at = { lng: 13.4, lat: 52.5 };
    const circle = { at, radiusM: 2000, label: "Accuracy 2000 m" };
    await renderInApp(<MapView start={{ ...at, zoom: 10 }} height={300} tiles={null} circle={circle} />);
    const drawn = region().getByRole("img", { name: "Accuracy 2000 m" });
    const width = () => drawn.element().getBoundingClientRect().width;
    await expect.element(drawn).toBeVisible();
    // 46.5 m per pixel at this latitude and zoom.
    expect(width()).toBeCloseTo(86, 0);
    await region().getByRole("button", { name: "Zoom in" }).click();
    await expect.poll(width).toBeCloseTo(172, 0);
    for (let step = 0; step < 8; step += 1) await region().getByRole("button", { name: "Zoom out" }).click();
    await expect.poll(width).toBe(8);
  },
);

test("SE-06 a map that follows stays as near as it was looked at", async () => {
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(null);
  const map = (lng: number, keepsZoom: boolean) => (
    <MapView
      start={{ lng, lat: 52.5, zoom: 10 }}
      startKey={String(lng)}
      keepsZoom={keepsZoom}
      height={300}
      tiles={null}
    />
  );
  const { rerender } = await renderInApp(map(13, true));
  await expect.element(region().getByText("2 km", { exact: true })).toBeVisible();
  for (let step = 0; step < 2; step += 1) await region().getByRole("button", { name: "Zoom in" }).click();
  await expect.element(region().getByText("1 km", { exact: true })).toBeVisible();
  await rerender(map(14, true));
  await expect.element(region().getByText("1 km", { exact: true })).toBeVisible();
  await rerender(map(15, false));
  await expect.element(region().getByText("2 km", { exact: true })).toBeVisible();
});
