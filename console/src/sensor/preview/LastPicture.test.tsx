// The one picture beside the settings of a camera: asked once for each connection, never polled, gone with the sensor.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { queryClient } from "../../api/query-client.ts";
import { serve } from "../../testing/console.tsx";
import { renderInApp } from "../../testing/render.tsx";
import { PictureFrame } from "../drawing/PictureFrame.tsx";
import { sensorAddress, sensorWith } from "../sensor.testing.ts";
import { answering, asked, cameraWith, connected, type Device, takenAt } from "./preview.testing.ts";
import { useLastPicture } from "./useLastPicture.ts";

function Beside({ sensor }: { sensor: Sensor }) {
  const { picture, takenAt: at, problem } = useLastPicture(sensor);
  return (
    <>
      <PictureFrame picture={picture} empty={problem ?? "Loading"} />
      <p>{at === null ? "no time" : `at ${at}`}</p>
    </>
  );
}

const at = (statusChangedAt: string, connectionStatus: "connected" | "disconnected" = "connected") =>
  sensorWith({ ...connected, type: "PS.C1", psconnect: { connectionStatus, statusChangedAt } });
const framed = (sensor: Sensor) => (
  <QueryClientProvider client={queryClient}>
    <Beside sensor={sensor} />
  </QueryClientProvider>
);

async function open(device: Device) {
  asked.length = 0;
  serve({ [`POST ${sensorAddress}/rpc`]: answering(device) });
  return renderInApp(framed(at("2026-11-20T09:00:00.000Z")));
}

test("SE-07 the last picture is asked for once, goes with the sensor, and is another one when it is back", async () => {
  const jpeg = await cameraWith({ name: "Ceiling" });
  const { rerender } = await open(() => ({ at: takenAt, cameras: [{ ...jpeg, name: `Ceiling ${asked.length}` }] }));
  await expect.element(page.getByRole("img", { name: "Camera Ceiling 1", exact: true })).toBeVisible();
  await expect.element(page.getByText(`at ${takenAt}`)).toBeVisible();
  // Whatever is said about sensors meanwhile.
  await queryClient.invalidateQueries({ queryKey: ["sensor"] });
  await rerender(framed({ ...at("2026-11-20T09:00:00.000Z"), version: 9 }));
  expect(asked).toEqual(["preview.get cameras"]);
  await rerender(framed(at("2026-11-20T09:10:00.000Z", "disconnected")));
  await expect.element(page.getByText("The sensor is offline.", { exact: true })).toBeVisible();
  await expect.element(page.getByText("no time", { exact: true })).toBeVisible();
  expect(page.getByRole("img").elements()).toEqual([]);
  expect(asked).toHaveLength(1);
  await rerender(framed(at("2026-11-20T09:20:00.000Z")));
  await expect.element(page.getByRole("img", { name: "Camera Ceiling 2", exact: true })).toBeVisible();
});

test.each<[string, unknown, string]>([
  ["that is busy", { refused: { code: -32_001, message: "" } }, "The sensor is busy. Try again."],
  ["without a camera", { at: takenAt, cameras: [] }, "The sensor has no camera."],
  ["whose bytes are no JPEG", { at: takenAt, cameras: [{ jpeg: "PHN2Zz4=" }] }, "The sensor's answer can't be read."],
])("SE-07 a sensor %s: the reason stands in the picture's place", async (_case, given, sentence) => {
  await open(() => given);
  await expect.element(page.getByText(sentence, { exact: true })).toBeVisible();
  expect(asked).toHaveLength(1);
});
