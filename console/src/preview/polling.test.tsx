// Tests that live views poll at their interval, with one request at a time, and only while visible.
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Locator, page } from "vitest/browser";
import { ids } from "../sensor/sensor.testing.ts";
import { testTimerOptions, advanceTime } from "../testing/time.ts";
import {
  deviceRequests,
  cameraWith,
  type DeviceStub,
  gpsWith,
  partlyKnownOccupancy,
  openSensor,
  takenAt,
} from "./preview.testing.ts";

const entry = (name: string) =>
  page.getByRole("navigation", { name: ids.sensor }).getByRole("link", { name, exact: true });
const card = () => page.getByRole("region", { name: "Preview GPS", exact: true });
const times = () => deviceRequests.length;
const isGrayed = (what: Locator) => {
  const element = what.element();
  let around: Element | null = element;
  while (around !== null && getComputedStyle(around).filter !== "grayscale(1)") around = around.parentElement;
  const [heading] = document.querySelectorAll("h1");
  return {
    colors: around !== null,
    words: getComputedStyle(element).color !== getComputedStyle(heading ?? element).color,
  };
};
const current = { colors: false, words: false };
const grayed = { colors: true, words: true };

async function openStopped(device: DeviceStub, name = "Preview GPS") {
  await openSensor("general", device);
  await expect.element(entry(name)).toBeVisible();
  vi.useFakeTimers(testTimerOptions);
  (entry(name).element() as HTMLElement).click();
  await expect.element(page.getByRole("region", { name: name === "Preview occupancy" ? "Coach" : name })).toBeVisible();
  await advanceTime(100);
}

function look(state: DocumentVisibilityState): void {
  vi.spyOn(document, "visibilityState", "get").mockReturnValue(state);
  document.dispatchEvent(new Event("visibilitychange"));
}

// Loads the lazy chunks now, because they can't load while time is stopped.
beforeAll(() => import("./PreviewTabs.tsx"));
beforeEach(() => look("visible"));

async function keepsItsPace(name: string, answer: unknown, everyMs: number) {
  await openStopped(() => answer, name);
  expect(times()).toBe(1);
  await advanceTime(everyMs - 300);
  expect(times()).toBe(1);
  await advanceTime(300);
  expect(times()).toBe(2);
  await advanceTime(everyMs);
  expect(times()).toBe(3);
}
test("SE-06 the position is asked for at its pace", () => keepsItsPace("Preview GPS", gpsWith(), 5000));
test("SE-06 the occupancy is asked for at its pace", { tags: "prove" }, () =>
  keepsItsPace("Preview occupancy", partlyKnownOccupancy, 2000),
);

test("SE-06 a slow answer is waited for: there is never a second question beside it", async () => {
  let answer = () => {};
  await openStopped(() => new Promise((resolve) => (answer = () => resolve(gpsWith()))));
  await advanceTime(20_000);
  expect(times()).toBe(1);
  answer();
  await expect.element(card().getByText("52.52001")).toBeVisible();
  await advanceTime(100);
  expect(times()).toBe(2);
});

test(
  "SE-06 failures do not change the pace, and the last answer stays, grayed and said to be old",
  { tags: "prove" },
  async () => {
    let given: unknown = gpsWith();
    await openStopped(() => given);
    await expect.element(card().getByText("52.52001")).toBeVisible();
    given = { status: 504, body: { code: 504, error: "Forwarding RPC failed (measurement)" } };
    await advanceTime(9500);
    expect(times()).toBe(2);
    await expect.element(card().getByText("Forwarding RPC failed (measurement)")).toBeVisible();
    expect(card().getByText("Older than 10 s").elements()).toEqual([]);
    expect(isGrayed(card().getByText("52.52001"))).toEqual(current);
    await advanceTime(600);
    await expect.element(card().getByText("Older than 10 s")).toBeVisible();
    await expect.element(card().getByText("52.52001")).toBeVisible();
    expect(isGrayed(card().getByText("52.52001"))).toEqual(grayed);
    expect(isGrayed(card().getByRole("region", { name: "Map" }))).toEqual(grayed);
    expect(isGrayed(card().getByRole("heading", { name: "Preview GPS" }))).toEqual(current);
    await advanceTime(10_000);
    expect(times()).toBe(5);
    given = gpsWith({ lat: 1 });
    await advanceTime(5000);
    await expect.element(card().getByText("1.00000")).toBeVisible();
    expect(isGrayed(card().getByText("1.00000"))).toEqual(current);
    expect(card().getByText("Older than 10 s").elements()).toEqual([]);
    expect(card().getByRole("alert").elements()).toEqual([]);
  },
);

test("SE-06 every page of the occupancy is grayed when it is old, but for the words on the plan's areas", async () => {
  let given: unknown = partlyKnownOccupancy;
  await openStopped(() => given, "Preview occupancy");
  const shown = (name: string) => page.getByRole("region", { name, exact: true });
  const coach = shown("Coach").getByText("≥ 75 / 140", { exact: true });
  await expect.element(coach).toBeVisible();
  expect(isGrayed(coach)).toEqual(current);
  given = { refused: { code: -32_001, message: "" } };
  await advanceTime(10_200);
  await expect.element(shown("Coach").getByText("Older than 10 s")).toBeVisible();
  expect(isGrayed(coach)).toEqual(grayed);
  expect(isGrayed(page.getByRole("meter", { name: "Coach", exact: true })).colors).toBe(true);
  const words = page.getByRole("group", { name: "Section Saloon" }).getByText("45 / 60", { exact: true });
  expect(isGrayed(words)).toEqual({ colors: true, words: false });
  for (const [label, cell] of [
    ["Levels", "45 / 60"],
    ["Sections", "30 / 30"],
    ["Cameras", "30"],
  ] as const) {
    const link = page.getByRole("navigation", { name: "Preview occupancy" }).getByRole("link", { name: label });
    (link.element() as HTMLElement).click();
    await expect.element(shown(label).getByText(cell, { exact: true })).toBeVisible();
    expect(isGrayed(shown(label).getByText(cell, { exact: true }))).toEqual(grayed);
  }
});

test("SE-06 old pictures of cameras are grayed with their names", { tags: "prove" }, async () => {
  let given: unknown = { at: takenAt, cameras: [await cameraWith()] };
  await openStopped(() => given, "Preview cameras");
  const picture = page.getByRole("img", { name: "Camera Front" });
  await expect.element(picture).toBeVisible();
  expect(isGrayed(picture)).toEqual(current);
  given = { refused: { code: -32_001, message: "" } };
  await advanceTime(10_200);
  expect(isGrayed(picture)).toEqual(grayed);
  expect(isGrayed(page.getByRole("figure").getByText("Front", { exact: true }))).toEqual(grayed);
});

test(
  "SE-06 a hidden tab asks nothing; looked at again, it asks at once, but never faster than its pace",
  { tags: "prove" },
  async () => {
    await openStopped(() => gpsWith());
    look("hidden");
    await advanceTime(30_000);
    expect(times()).toBe(1);
    look("visible");
    await advanceTime(100);
    expect(times()).toBe(2);
    for (const state of ["hidden", "visible", "hidden", "visible"] as const) look(state);
    await advanceTime(1000);
    expect(times()).toBe(2);
  },
);

test(
  "SE-06 after ten minutes without a touch the preview is paused until it is resumed",
  { tags: "prove" },
  async () => {
    await openStopped(() => gpsWith());
    await vi.advanceTimersByTimeAsync(9 * 60_000);
    for (const touch of [
      new PointerEvent("pointermove"),
      new PointerEvent("pointerdown"),
      new KeyboardEvent("keydown"),
      new Event("scroll"),
    ]) {
      window.dispatchEvent(touch);
      await vi.advanceTimersByTimeAsync(9 * 60_000);
      expect(page.getByText("Preview paused").elements()).toEqual([]);
    }
    await advanceTime(60_100);
    await expect.element(card().getByText("Preview paused", { exact: true })).toBeVisible();
    const before = times();
    expect(before).toBeGreaterThan(500);
    await advanceTime(30_000);
    expect(times()).toBe(before);
    (card().getByRole("button", { name: "Resume" }).element() as HTMLElement).click();
    await advanceTime(100);
    expect(times()).toBe(before + 1);
    await expect.element(card().getByText("Preview paused")).not.toBeInTheDocument();
    await expect.element(card().getByRole("heading", { name: "Preview GPS" })).toHaveFocus();
  },
);

test("SE-06 who leaves the page ends its questions", { tags: "prove" }, async () => {
  await openStopped(() => gpsWith());
  (entry("General").element() as HTMLElement).click();
  await expect.element(entry("General")).toHaveAttribute("aria-current", "page");
  await expect.element(card()).not.toBeInTheDocument();
  await advanceTime(20_000);
  expect(times()).toBe(1);
});
