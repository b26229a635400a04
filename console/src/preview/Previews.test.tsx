// Tests the live views of ZOD and PS.C1 with a stubbed device.
import { previewKinds, previewsOf } from "@psp/contract/section/sections.ts";
import { sensorTypes, typeSegment } from "@psp/contract/device/sensor-type.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { ids, sensorWith } from "../sensor/sensor.testing.ts";
import {
  sendLiveMessage,
  deviceRequests,
  cameraWith,
  type DeviceStub,
  gpsWith,
  partlyKnownOccupancy,
  openSensor,
  takenAt,
} from "./preview.testing.ts";

const card = (name: string) => page.getByRole("region", { name, exact: true });
const meter = (name: string) => page.getByRole("meter", { name, exact: true });
const entry = (name: string) =>
  page.getByRole("navigation", { name: ids.sensor }).getByRole("link", { name, exact: true });
const occupancy: DeviceStub = () => partlyKnownOccupancy;
const time = (at: number) => {
  const two = (n: number) => String(n).padStart(2, "0");
  const date = new Date(at);
  const day = `${two(date.getDate())}.${two(date.getMonth() + 1)}.${date.getFullYear()}`;
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
};

test(
  "SE-06 the menu of a ZOD has its three previews, and each opens for somebody who may only look",
  { tags: "prove" },
  async () => {
    const device: DeviceStub = async (what) => {
      if (what.endsWith("occupancy")) return partlyKnownOccupancy;
      return what.endsWith("gps") ? gpsWith() : { at: takenAt, cameras: [await cameraWith()] };
    };
    const { address } = await openSensor("general", device);
    await expect.element(page.getByRole("heading", { name: "PREVIEW", exact: true })).toBeVisible();
    const shown = {
      "Preview occupancy": ["preview-occupancy/coach", "Coach"],
      "Preview cameras": ["preview-cameras", "Preview cameras"],
      "Preview GPS": ["preview-gps", "Preview GPS"],
    } as const;
    for (const [name, [path, title]] of Object.entries(shown)) {
      await entry(name).click();
      await expect.poll(address).toBe(`/sensor/zod/${ids.sensor}/${path}`);
      await expect.element(entry(name)).toHaveAttribute("aria-current", "page");
      await expect.element(card(title).getByText(time(takenAt), { exact: true })).toBeVisible();
    }
  },
);

test("every preview of the contract has its address, and no other type has it", { tags: "prove" }, async () => {
  for (const type of sensorTypes)
    for (const kind of previewKinds) {
      const exists = previewsOf[type].some((one) => one.kind === kind);
      const { address, screen } = await openSensor(
        `preview-${kind}`,
        () => ({ refused: { code: -32_001, message: "" } }),
        { type },
      );
      const start = exists ? `preview-${kind}${kind === "occupancy" ? "/coach" : ""}` : null;
      if (start !== null) await expect.poll(address).toBe(`/sensor/${typeSegment(type)}/${ids.sensor}/${start}`);
      else await expect.element(page.getByText("Page not found")).toBeVisible();
      await screen.unmount();
    }
});

test("SE-06 each camera shows its picture and its state in words; one without a picture says so", async () => {
  const cameras = await Promise.all([
    cameraWith(),
    cameraWith({ id: "c2", name: "Rear", state: "covered" }),
    cameraWith({ id: "c3", name: "Door", state: "dark" }),
    cameraWith({ id: "c4", name: "Roof", state: "bright" }),
    cameraWith({ id: "c5", name: "Rack", state: "off", jpeg: "", width: 0, height: 0 }),
  ]);
  await openSensor("preview-cameras", () => ({ at: takenAt, cameras }));
  for (const name of ["Camera Front", "Camera Rear", "Camera Door", "Camera Roof"]) {
    const picture = page.getByRole("img", { name, exact: true });
    await expect.element(picture).toBeVisible();
    await expect.poll(() => (picture.element() as HTMLImageElement).naturalWidth).toBe(4);
  }
  expect(page.getByRole("img", { name: "Camera Rack" }).elements()).toEqual([]);
  const rack = page.getByRole("figure").filter({ hasText: "Rack" });
  await expect.element(rack.getByText("No picture", { exact: true })).toBeVisible();
  for (const word of ["Ok", "Covered", "Dark", "Bright", "Off"])
    await expect.element(card("Preview cameras").getByText(word, { exact: true })).toBeVisible();
  expect(new Set(deviceRequests)).toEqual(new Set(["preview.get cameras"]));
});

test(
  "SE-07 the picture of a PS.C1 carries its lines and zones with their names, read once",
  { tags: "prove" },
  async () => {
    const camera = await cameraWith({ name: "Ceiling" });
    const points = [
      { x: 10, y: 50 },
      { x: 90, y: 50 },
      { x: 50, y: 90 },
    ];
    const applications = {
      rev: 3,
      source: "device",
      at: "2026-11-20T12:00:00.000Z",
      values: {
        counting: { enabled: true, intervalS: 300, minHeightCm: 80, childBelowCm: 0 },
        lines: [{ id: "l1", name: "Door", points: points.slice(0, 2), inSide: "right" }],
        occupancy: { enabled: true },
        dwell: { enabled: false, minS: 3 },
        zones: [{ id: "l1", name: "Shelf", points }],
      },
    };
    await openSensor(
      "preview-cameras",
      (what) => (what === "config.get applications" ? applications : { at: takenAt, cameras: [camera] }),
      { type: "PS.C1" },
    );
    await expect.element(page.getByRole("img", { name: "Camera Ceiling", exact: true })).toBeVisible();
    for (const name of ["Door", "Shelf", "In"])
      await expect.element(page.getByRole("figure").getByText(name, { exact: true })).toBeVisible();
    await expect.poll(() => deviceRequests.filter((what) => what === "preview.get cameras").length).toBeGreaterThan(1);
    expect(deviceRequests.filter((what) => what === "config.get applications")).toHaveLength(1);
  },
);

test("SE-07 lines that can't be read leave the picture alone, and that is said", async () => {
  const camera = await cameraWith();
  await openSensor(
    "preview-cameras",
    (what) => (what.startsWith("config") ? { rev: 1, values: {} } : { at: takenAt, cameras: [camera] }),
    { type: "PS.C1" },
  );
  await expect.element(page.getByRole("img", { name: "Camera Front" })).toBeVisible();
  await expect.element(page.getByText("The lines and zones could not be loaded.")).toBeVisible();
});

test("SE-06 the coach: a covered camera makes its section unknown and the sums lower bounds", async () => {
  await openSensor("preview-occupancy/coach", occupancy);
  const coach = card("Coach");
  await expect.element(coach.getByText("≥ 75 / 140", { exact: true })).toBeVisible();
  await expect.element(meter("Coach")).toHaveAttribute("aria-valuenow", "75");
  await expect.element(meter("Coach")).toHaveAttribute("aria-valuemax", "140");
  await expect.element(meter("Coach")).toHaveAttribute("aria-valuetext", "≥ 75 / 140");
  const section = (name: string) => coach.getByRole("group", { name: `Section ${name}`, exact: true });
  await expect.element(section("Entrance").getByText("30 / 30", { exact: true })).toBeVisible();
  await expect.element(section("Bikes").getByText("unknown", { exact: true })).toBeVisible();
  await expect.element(section("Saloon").getByText("45 / 60", { exact: true })).toBeVisible();
  await expect.element(card("Level Lower").getByText("≥ 30 / 80", { exact: true })).toBeVisible();
  await expect.element(card("Level Upper").getByRole("group")).toHaveAccessibleName("Section Saloon");
  const fill = (name: string) => getComputedStyle(section(name).element().querySelector("rect") as Element).fill;
  expect(new Set(["Entrance", "Bikes", "Saloon"].map(fill)).size).toBe(3);
  await expect.element(coach.getByRole("list", { name: "Colors" }).getByText("Up to 80 %")).toBeVisible();
});

test(
  "SE-06 levels, sections and cameras have tables and meters; the pages share the question",
  { tags: "prove" },
  async () => {
    const { address } = await openSensor("preview-occupancy", occupancy);
    await expect.poll(address).toBe(`/sensor/zod/${ids.sensor}/preview-occupancy/coach`);
    const open = (name: string) => page.getByRole("navigation", { name: "Preview occupancy" }).getByText(name).click();
    await open("Levels");
    await expect.poll(address).toBe(`/sensor/zod/${ids.sensor}/preview-occupancy/levels`);
    await expect.element(page.getByRole("row", { name: /^Lower ≥ 30 \/ 80 .*≥ 37 %$/ })).toBeVisible();
    await expect.element(meter("Level Lower")).toHaveAttribute("aria-valuetext", "≥ 30 / 80");
    await expect.element(meter("Level Upper")).toHaveAttribute("aria-valuenow", "45");
    await open("Sections");
    await expect.element(page.getByRole("row", { name: /^Entrance Lower 30 \/ 30 .*100 %$/ })).toBeVisible();
    await expect.element(page.getByRole("row", { name: "Bikes Lower unknown" })).toBeVisible();
    await expect.element(meter("Section Saloon")).toBeVisible();
    expect(meter("Section Bikes").elements()).toEqual([]);
    await open("Cameras");
    await expect.element(page.getByRole("row", { name: "Door 30 Ok" })).toBeVisible();
    await expect.element(page.getByRole("row", { name: "Rack unknown Covered" })).toBeVisible();
    expect(page.getByRole("meter").elements()).toEqual([]);
  },
);

test("SE-06 what has no places has no meter", async () => {
  const standing = { id: "s1", name: "Aisle", levelId: "l1", persons: 4, capacity: 0, state: "ok" as const };
  const coach = { persons: 4, capacity: 0 };
  await openSensor("preview-occupancy/sections", () => ({
    ...partlyKnownOccupancy,
    coach,
    levels: [{ id: "l1", name: "Main", ...coach }],
    sections: [standing],
  }));
  await expect.element(page.getByRole("row", { name: "Aisle Main 4 / 0 -" })).toBeVisible();
  expect(page.getByRole("meter").elements()).toEqual([]);
});

test("SE-06 the position on the map with the circle of its accuracy, and in numbers", async () => {
  await openSensor("preview-gps", () => gpsWith());
  const gps = card("Preview GPS");
  await expect.element(gps.getByRole("region", { name: "Map" })).toBeVisible();
  await expect.element(gps.getByRole("button", { name: "Position" })).toBeVisible();
  await expect.element(gps.getByRole("img", { name: "Accuracy 5 m" })).toBeVisible();
  const facts = ["52.52001", "13.40495", "5 m", "72 km/h", "184° S", "3D", "9"];
  for (const fact of facts) await expect.element(gps.getByText(fact, { exact: true }).first()).toBeVisible();
});

test("SE-06 without a fix there is no position", async () => {
  await openSensor("preview-gps", () =>
    gpsWith({ fix: "none", lat: null, lng: null, accuracyM: null, speedMps: null, headingDeg: null, satellites: 2 }),
  );
  await expect.element(page.getByText("No position", { exact: true })).toBeVisible();
  await expect.element(card("Preview GPS").getByText("2", { exact: true })).toBeVisible();
  expect(page.getByRole("region", { name: "Map" }).elements()).toEqual([]);
});

test("SE-06 a sensor that goes offline takes its picture along, and shows a new one when it is back", async () => {
  const camera = await cameraWith();
  await openSensor("preview-cameras", () => ({ at: takenAt, cameras: [camera] }));
  const picture = page.getByRole("img", { name: "Camera Front" });
  await expect.element(picture).toBeVisible();
  sendLiveMessage({
    psconnect: { connectionStatus: "disconnected", statusChangedAt: "2026-11-20T09:10:00.000Z" },
    scomState: { ...sensorWith().scomState, isConnected: false },
  });
  await expect.element(page.getByText("The sensor is offline.", { exact: true })).toBeVisible();
  expect(picture.elements()).toEqual([]);
  expect(page.getByText(time(takenAt), { exact: true }).elements()).toEqual([]);
  const before = deviceRequests.length;
  sendLiveMessage({ version: 10 });
  await expect.element(picture).toBeVisible();
  expect(deviceRequests.length).toBeGreaterThan(before);
});

test.each<[string, Parameters<typeof openSensor>[2], RegExp]>([
  ["without PS.Connect", { psconnect: null }, /^PS\.Connect remote access is not available for this sensor\./],
  [
    "cut off from PS.Connect",
    { psconnect: { connectionStatus: "disconnected", statusChangedAt: null } },
    /^This sensor is currently disconnected from PS\.Connect\./,
  ],
])("SE-06 a sensor %s is not asked", async (_case, facts, sentence) => {
  await openSensor("preview-gps", () => gpsWith(), facts);
  await expect.element(page.getByText(sentence)).toBeVisible();
  expect(deviceRequests).toEqual([]);
});

test.each<[string, unknown, string]>([
  ["is busy", { refused: { code: -32_001, message: "later" } }, "The sensor is busy. Try again."],
  [
    "is too old",
    { refused: { code: -32_601, message: "no method" } },
    "The installed firmware does not support this preview.",
  ],
  ["says why", { refused: { code: -32_004, message: "<b>No lens</b>" } }, "Sensor: <b>No lens</b>"],
  ["answers nonsense", { at: "now" }, "The sensor's response can't be read."],
  [
    "does not answer",
    { status: 504, body: { code: 504, error: "Forwarding RPC failed (measurement)", requestId: "r1" } },
    "Forwarding RPC failed (measurement)",
  ],
  ["is just gone", { status: 502, body: { code: 509, error: "Com-link error (sensor)" } }, "The sensor is offline."],
])("SE-06 a sensor that %s: the sentence, in its place and nowhere else", async (_case, given, sentence) => {
  await openSensor("preview-gps", () => given);
  await expect.element(card("Preview GPS").getByRole("alert")).toHaveTextContent(sentence);
  expect(page.getByText(sentence, { exact: true }).elements()).toHaveLength(1);
});

test("SE-06 a page of the occupancy that does not exist leads to the first", async () => {
  const { address } = await openSensor("preview-occupancy/toString?groups=a", occupancy);
  await expect.poll(address).toBe(`/sensor/zod/${ids.sensor}/preview-occupancy/coach?groups=a`);
  await expect.element(card("Coach")).toBeVisible();
});
