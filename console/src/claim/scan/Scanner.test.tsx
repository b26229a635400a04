// Tests the messages of the scanner, and decodes real pictures (CL-01).
import encodeQR from "qr";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { visibleDuration } from "../../testing/shown.ts";
import { testTimerOptions, advanceTime } from "../../testing/time.ts";
import { notFound } from "../../testing/console.tsx";
import { claimedResponse, openRegister, sensor } from "../claim.testing.ts";

type Camera = () => Promise<MediaStream>;
const setCamera = (camera: Camera) => vi.spyOn(navigator.mediaDevices, "getUserMedia").mockImplementation(camera);
const refuse = (name: string) => setCamera(() => Promise.reject(new DOMException("by the test", name)));
const said = (text: string) => expect.element(page.getByText(text, { exact: true })).toBeVisible();

test.each([
  ["NotAllowedError", "You need to grant camera access permisson"],
  ["NotFoundError", "No camera on this device"],
  ["NotSupportedError", "Secure context required (HTTPS, localhost)"],
  ["NotReadableError", "Is the camera already in use?"],
  ["OverconstrainedError", "Installed cameras are not suitable"],
  ["StreamApiNotSupportedError", "Stream API is not supported in this browser"],
])("CL-01 a camera that fails with %s: %s", async (name, text) => {
  refuse(name);
  await openRegister("", {});
  await said(text);
});

test("CL-01 without a secure context that is said first, whatever else is missing", async () => {
  refuse("NotAllowedError");
  vi.spyOn(window, "isSecureContext", "get").mockReturnValue(false);
  await openRegister("", {});
  await said("Secure context required (HTTPS, localhost)");
});

test("CL-01 a browser without cameras' interface says so", async () => {
  vi.spyOn(navigator, "mediaDevices", "get").mockReturnValue(undefined as never);
  await openRegister("", {});
  await said("Stream API is not supported in this browser");
});

const typing = () => page.getByRole("textbox", { name: "Registration code" });

test("CL-01 a camera in use can be tried again, or left for typing", async () => {
  refuse("NotReadableError");
  const { address } = await openRegister("?fromPSControl=true", {});
  await said("Is the camera already in use?");
  await page.getByRole("button", { name: "Try again" }).click();
  await said("Is the camera already in use?");
  await page.getByRole("button", { name: "Type the code instead" }).click();
  await expect.element(typing()).toHaveFocus();
  await expect.poll(address).toBe("/sensor/register?mode=type&fromPSControl=true");
  expect(page.getByText("Is the camera already in use?").elements()).toEqual([]);
});

test.each([
  ["NotAllowedError", "You need to grant camera access permisson"],
  ["NotFoundError", "No camera on this device"],
  ["NotSupportedError", "Secure context required (HTTPS, localhost)"],
])(
  "CL-01 CL-02 without a camera (%s) one begins with typing, at once; the reason stands above it",
  async (name, text) => {
    refuse(name);
    const { address } = await openRegister("?fromPSControl=true", {});
    await expect.element(typing()).toHaveFocus();
    await said(text);
    await expect.poll(address).toBe("/sensor/register?mode=type&fromPSControl=true");
    setCamera(() => Promise.resolve(picture.stream));
    await page.getByRole("button", { name: "Try again" }).click();
    await said("Point the camera at the QR code");
    expect(page.getByText(text).elements()).toEqual([]);
  },
);

function createPicture() {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 640, height: 480 });
  const context = canvas.getContext("2d");
  let text: string | null = null;
  const draw = () => {
    if (context === null) return;
    context.fillStyle = "#b9c4c2";
    context.fillRect(0, 0, 640, 480);
    if (text === null) return;
    const modules = encodeQR(text, "raw", { border: 4 });
    const size = Math.floor(360 / modules.length);
    context.translate(320, 240);
    context.rotate(0.2);
    modules.forEach((row, y) =>
      row.forEach((dark, x) => {
        context.fillStyle = dark ? "#222222" : "#ffffff";
        context.fillRect((x - modules.length / 2) * size, (y - modules.length / 2) * size, size, size);
      }),
    );
    context.resetTransform();
  };
  const stream = canvas.captureStream(15);
  // A canvas stream only sends a frame when the canvas changes.
  const timer = setInterval(draw, 60);
  return {
    stream,
    show: (next: string | null) => void (text = next),
    end: () => {
      clearInterval(timer);
      for (const track of stream.getTracks()) track.stop();
    },
  };
}

let picture: ReturnType<typeof createPicture>;
beforeEach(() => {
  picture = createPicture();
});
afterEach(() => picture.end());
const link = (code: string) => `${window.location.origin}/sensor/register?code=${code}`;
const withCamera = (answers: Parameters<typeof openRegister>[1]) => {
  setCamera(() => Promise.resolve(picture.stream));
  return openRegister("", answers);
};

test("CL-01 a label in the picture is read, claimed once, and announced for two seconds", async () => {
  const posted: unknown[] = [];
  const { screen } = await withCamera({
    "GET /api/claim/K7MPQ2XA": { status: 200, body: sensor },
    "POST /api/claim/": (sent) => {
      posted.push(sent);
      return claimedResponse(sensor.id);
    },
  });
  await said("Point the camera at the QR code");
  vi.useFakeTimers(testTimerOptions);
  const success = `Registered Sensor '${sensor.id}'`;
  const shown = visibleDuration(success);
  picture.show(link("K7MPQ2XA"));
  // The scanner reads a frame every 100 ms of the fake clock.
  await expect.poll(async () => (await advanceTime(100), posted.length)).toBe(1);
  await said(success);
  await advanceTime(3000);
  expect(await shown).toBeGreaterThan(1700);
  expect(await shown).toBeLessThan(2300);
  await expect.element(page.getByRole("row", { name: /K7MPQ2XA.*Registered$/ })).toBeVisible();
  // The same label is neither claimed nor reported again.
  await expect.element(page.getByText("Point the camera at the QR code")).toBeVisible();
  expect(posted).toEqual([{ sensors: [{ ...sensor, claimingCode: "K7MPQ2XA" }] }]);
  const track = picture.stream.getVideoTracks()[0];
  expect(track?.readyState).toBe("live");
  await screen.unmount();
  expect(track?.readyState).toBe("ended");
});

test(
  "CL-01 a QR code of something else, an unknown code and a refused claim have their own sentences",
  { tags: "prove" },
  async () => {
    await withCamera({
      "GET /api/claim/K7MPQ2XA": { status: 200, body: sensor },
      "GET /api/claim/ZZZZ2222": notFound,
      "POST /api/claim/": notFound,
    });
    picture.show("https://evil.example/sensor/register?code=K7MPQ2XA");
    await said("Invalid QR-Code");
    picture.show(link("ZZZZ2222"));
    await said("Invalid code, sensor may already be registered");
    picture.show(link("K7MPQ2XA"));
    await said("Unable to register sensor (may already be registered)");
  },
);
