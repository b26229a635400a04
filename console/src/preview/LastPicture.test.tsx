// Tests that the picture next to camera settings is requested once per connection, and removed when the sensor disconnects.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { queryClient } from "../api/query-client.ts";
import { stubServer } from "../testing/console.tsx";
import { renderInApp } from "../testing/render.tsx";
import { resetPointer } from "../testing/pointer.ts";
import { formatExactTime } from "../ui/time/RelativeTime.tsx";
import { PictureFrame } from "./drawing/PictureFrame.tsx";
import { sensorApiPath, sensorWith } from "../sensor/sensor.testing.ts";
import {
  stubDeviceRpc,
  deviceRequests,
  cameraWith,
  connectedSensorFields,
  type DeviceStub,
  takenAt,
} from "./preview.testing.ts";
import { LastPictureLine } from "./TakenAt.tsx";
import { useLastPicture } from "./useLastPicture.ts";

function Beside({ sensor }: { sensor: Sensor }) {
  const { picture, empty, ...more } = useLastPicture(sensor);
  return (
    <>
      <LastPictureLine {...more} />
      <PictureFrame picture={picture} empty={empty} />
    </>
  );
}

const at = (statusChangedAt: string, connectionStatus: "connected" | "disconnected" = "connected") =>
  sensorWith({ ...connectedSensorFields, type: "PS.C1", psconnect: { connectionStatus, statusChangedAt } });
const framed = (sensor: Sensor) => (
  <QueryClientProvider client={queryClient}>
    <Beside sensor={sensor} />
  </QueryClientProvider>
);

async function open(device: DeviceStub) {
  deviceRequests.length = 0;
  stubServer({ [`POST ${sensorApiPath}/rpc`]: stubDeviceRpc(device) });
  return renderInApp(framed(at("2026-11-20T09:00:00.000Z")));
}

test("SE-07 the last picture is asked for once, goes with the sensor, and is another one when it is back", async () => {
  const jpeg = await cameraWith({ name: "Ceiling" });
  const { rerender } = await open(() => ({
    at: takenAt,
    cameras: [{ ...jpeg, name: `Ceiling ${deviceRequests.length}` }],
  }));
  await expect.element(page.getByRole("img", { name: "Camera Ceiling 1", exact: true })).toBeVisible();
  const time = page.getByText(/^\d\d\.11\.2026 \d\d:\d\d:05$/);
  await expect.element(page.getByText(/^Taken \d\d\.11\.2026/)).toBeVisible();
  await time.hover();
  await expect.element(page.getByText(formatExactTime(takenAt), { exact: true })).toBeVisible();
  await resetPointer();
  await queryClient.invalidateQueries({ queryKey: ["sensor"] });
  await rerender(framed({ ...at("2026-11-20T09:00:00.000Z"), version: 9 }));
  expect(deviceRequests).toEqual(["preview.get cameras"]);
  await rerender(framed(at("2026-11-20T09:10:00.000Z", "disconnected")));
  await expect.element(page.getByText("The sensor is offline.", { exact: true })).toBeVisible();
  expect(time.elements()).toEqual([]);
  expect(page.getByRole("img").elements()).toEqual([]);
  expect(deviceRequests).toHaveLength(1);
  await rerender(framed(at("2026-11-20T09:20:00.000Z")));
  await expect.element(page.getByRole("img", { name: "Camera Ceiling 2", exact: true })).toBeVisible();
});

test.each<[string, unknown, string]>([
  ["that is busy", { refused: { code: -32_001, message: "" } }, "The sensor is busy. Try again."],
  ["without a camera", { at: takenAt, cameras: [] }, "The sensor has no cameras."],
  ["whose bytes are no JPEG", { at: takenAt, cameras: [{ jpeg: "PHN2Zz4=" }] }, "The sensor's response can't be read."],
])("SE-07 a sensor %s: the reason stands in the picture's place", async (_case, given, sentence) => {
  await open(() => given);
  await expect.element(page.getByText(sentence, { exact: true })).toBeVisible();
  expect(deviceRequests).toHaveLength(1);
});

test("SE-07 it is said that the picture is waited for, and one that failed can be asked for again", async () => {
  const jpeg = await cameraWith({ name: "Ceiling" });
  let answer: (given: unknown) => void = () => {};
  await open(() => new Promise((resolve) => (answer = resolve)));
  const waiting = page.getByText("Waiting for the sensor", { exact: true });
  const retry = page.getByRole("button", { name: "Try again", exact: true });
  await expect.element(waiting).toBeVisible();
  expect(page.getByText("No picture").elements()).toEqual([]);
  expect(retry.elements()).toEqual([]);
  await expect.poll(() => deviceRequests).toHaveLength(1);
  answer({ refused: { code: -32_001, message: "" } });
  await expect.element(page.getByText("The sensor is busy. Try again.", { exact: true })).toBeVisible();
  await retry.click();
  await expect.element(waiting).toBeVisible();
  // The focus must not be lost when the button disappears.
  expect(retry.elements()).toEqual([]);
  expect(document.activeElement).not.toBe(document.body);
  await expect.poll(() => deviceRequests).toHaveLength(2);
  answer({ at: takenAt, cameras: [jpeg] });
  await expect.element(page.getByRole("img", { name: "Camera Ceiling", exact: true })).toBeVisible();
  expect(retry.elements()).toEqual([]);
});
