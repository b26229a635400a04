// Tests the remote functions of a sensor, with stubbed responses.
import { errorEntry, sensorErrors, type ServerErrorCode } from "@psp/contract/errors.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { type StubbedResponse, openConsole } from "../../testing/console.tsx";
import { redSquare } from "../../testing/picture.ts";
import { waitForAppearance } from "../../testing/shown.ts";
import {
  allPermissions,
  ids,
  viewOnlyPermissions,
  sampleLocationRef,
  sensorApiPath,
  sensorWith,
  createServerStub,
} from "../sensor.testing.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

type Asked = { func: string; data: string; timeout: number };
const card = () => page.getByRole("region", { name: "Remote functions" });
const button = (name: string) => card().getByRole("button", { name });
const json = (value: unknown) => btoa(JSON.stringify(value));
const answer = (func: string, data: string, more: object = {}): StubbedResponse => ({
  status: 200,
  body: {
    ok: true,
    func,
    data,
    ct: "application/json",
    timestamp: Date.UTC(2026, 10, 20, 12, 0, 5),
    durMs: 640,
    ...more,
  },
});
const failure = (code: ServerErrorCode, details: object = {}): StubbedResponse => ({
  status: errorEntry(code).status,
  body: { code, error: errorEntry(code).message, requestId: "r-9", details },
});

async function open(
  facts: Partial<Sensor>,
  respond: (asked: Asked) => StubbedResponse | Promise<StubbedResponse> = () => failure(509),
  permissions = allPermissions,
) {
  const asked: Asked[] = [];
  const shown = await openConsole(
    `/sensor/aps/${ids.sensor}/general`,
    createServerStub(sensorWith(facts), permissions, {
      [`POST ${sensorApiPath}/request`]: (body) => {
        asked.push(body as Asked);
        return respond(body as Asked);
      },
    }),
  );
  await expect.element(card()).toBeVisible();
  return { asked, ...shown };
}

test("SE-11 a snapshot is shown with local time, can be retaken and downloaded, and isn't stored", async () => {
  const data = await redSquare("image/png");
  const { asked, screen } = await open({ measurement: sampleLocationRef }, ({ func }) =>
    answer(func, data, { ct: "image/png" }),
  );
  await button("Take snapshot").click();
  const image = card().getByRole("img", { name: `Snapshot of ${ids.sensor}` });
  await expect.element(image).toBeVisible();
  const element = image.element() as HTMLImageElement;
  await expect.poll(() => element.naturalWidth).toBe(4);
  await expect.element(card().getByText("Taken 20 Nov 2026, 17:45:05 GMT+5:45")).toBeVisible();
  const save = card().getByRole("link", { name: "Save picture" });
  await expect.element(save).toHaveAttribute("download", "snapshot_020000007A01_20261120T120005Z.png");
  await expect.element(save).toHaveAttribute("href", element.src);
  expect(asked).toEqual([{ func: "getSnapshot", data: json({ width: 640, blur: true }), timeout: 10_000 }]);

  const first = element.src;
  await button("Reload").click();
  await expect.poll(() => (image.element() as HTMLImageElement).src).not.toBe(first);
  const second = (image.element() as HTMLImageElement).src;
  expect(asked).toHaveLength(2);
  await expect.poll(() => loads(first)).toBe(false);
  await screen.unmount();
  await expect.poll(() => loads(second)).toBe(false);
});

function loads(url: string): Promise<boolean> {
  const picture = new Image();
  picture.src = url;
  return picture.decode().then(
    () => true,
    () => false,
  );
}

test.each(everyNth(5, Object.values(sensorErrors)))(
  "SE-11 ER-01 $code while taking a snapshot: client code 12 with the server's sentence, until closed",
  async ({ code, message }) => {
    await open({}, () => failure(code, { deviceCode: "BUSY", message: "Said by the sensor" }));
    await button("Take snapshot").click();
    const toast = page.getByRole("alert").filter({ hasText: "Failed to get a sensor snapshot." });
    await expect.element(toast.getByText(`${message} Said by the sensor. Request r-9`)).toBeVisible();
    await toast.getByRole("button", { name: "Close" }).click();
    await expect.element(toast).not.toBeInTheDocument();
    await expect.element(button("Take snapshot")).toBeVisible();
  },
);

test.each<[string, string, object]>([
  ["a page", btoa("<script>"), { ct: "text/html" }],
  ["bytes that are no picture", btoa("not a picture"), { ct: "image/jpeg" }],
  ["nothing", "", { ct: "image/jpeg" }],
])("SE-11 ER-01 a snapshot that holds %s is no picture: client code 12", async (_case, data, more) => {
  await open({}, ({ func }) => answer(func, data, more));
  await button("Take snapshot").click();
  const toast = page.getByRole("alert").filter({ hasText: "Failed to get a sensor snapshot." });
  await expect.element(toast.getByText("The sensor's response contains no picture.")).toBeVisible();
  expect(card().getByRole("img").elements()).toHaveLength(0);
});

test("SE-11 while the sensor is asked, the time left is shown and no second question can be put", async () => {
  const { promise, resolve } = Promise.withResolvers<StubbedResponse>();
  const { asked } = await open({}, () => promise);
  const progress = card().getByRole("progressbar");
  // Clicks elements directly, because locators could advance the fake clock.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  (button("Start upload test").element() as HTMLElement).click();
  await expect.element(progress).toHaveAccessibleName(/^Waiting for the sensor: (10|9) seconds left$/);
  const before = Number(progress.element().getAttribute("aria-valuenow"));
  await vi.advanceTimersByTimeAsync(4000);
  await expect.element(progress).toHaveAccessibleName(/^Waiting for the sensor: (6|5) seconds left$/);
  expect(Number(progress.element().getAttribute("aria-valuenow"))).toBeGreaterThan(before);
  vi.useRealTimers();
  await expect.element(button("Take snapshot")).toHaveAttribute("aria-disabled", "true");
  await expect
    .element(button("Take snapshot"))
    .toHaveAccessibleDescription("The sensor is still answering another request. Try again in a few seconds.");
  resolve(answer("generalUploadTest", json({ http: 200, bytes: 262_144, ms: 812, kbps: 2582 })));
  await expect.element(card().getByText("The sensor's upload arrived.")).toBeVisible();
  expect(asked).toHaveLength(1);
});

test("SE-11 the upload test shows its figures", async () => {
  const { asked } = await open({}, ({ func }) =>
    answer(func, json({ http: 200, bytes: 262_144, ms: 812, kbps: 2582 })),
  );
  await button("Start upload test").click();
  for (const figure of ["262,144 bytes", "812 ms", "2,582 kbit/s", "200"]) {
    await expect.element(card().getByText(figure, { exact: true })).toBeVisible();
  }
  expect(asked).toEqual([{ func: "generalUploadTest", data: "", timeout: 10_000 }]);
});

test.each<[string, StubbedResponse, string]>([
  ["a timeout", failure(504), "Forwarding RPC failed (measurement) Request r-9"],
  [
    "a result of another form",
    answer("generalUploadTest", json({ fast: true })),
    "The sensor's response can't be read.",
  ],
  ["a result that is no JSON", answer("generalUploadTest", btoa("{")), "The sensor's response can't be read."],
])("SE-11 ER-01 the upload test with %s: client code 13", async (_case, reply, text) => {
  await open({}, () => reply);
  await button("Start upload test").click();
  const toast = page.getByRole("alert").filter({ hasText: "The request failed." });
  await expect.element(toast.getByText(text)).toBeVisible();
});

test("SE-11 a refused upload is reported as one", async () => {
  await open({}, ({ func }) => answer(func, json({ http: 413, bytes: 1, ms: 8, kbps: 1 })));
  await button("Start upload test").click();
  await expect.element(card().getByText("The sensor's upload was refused.")).toBeVisible();
});

test("SE-11 the network reset names the consequence and needs the id typed in", { tags: "prove" }, async () => {
  const { asked } = await open({}, ({ func }) => answer(func, json({ willApplyInS: 5 })));
  await button("Reset network configuration").click();
  const dialog = page.getByRole("alertdialog", { name: "Reset network configuration" });
  await expect.element(dialog.getByText(/may stay offline until someone sets it up on site/)).toBeVisible();
  const confirm = dialog.getByRole("button", { name: "Reset", exact: true });
  await dialog.getByRole("textbox").fill("02:00:00:00:7A:02");
  await confirm.click();
  await expect.element(dialog.getByRole("textbox")).toHaveAccessibleDescription(`Type ${ids.sensor} first`);
  expect(asked).toEqual([]);
  await dialog.getByRole("textbox").fill(ids.sensor);
  const announced = waitForAppearance(
    page.getByRole("status").getByText(`${ids.sensor} will reset its network configuration in 5 seconds`),
  );
  await confirm.click();
  await announced;
  expect(asked).toEqual([{ func: "resetNetworkConfig", data: json({ confirm: ids.sensor }), timeout: 10_000 }]);
});

const names = ["Take snapshot", "Start upload test", "Reset network configuration"];

test("SE-11 SE-12 a sensor that counts as connected by its last contact is not called disconnected", async () => {
  await open({ scomState: { ...sensorWith().scomState, isConnected: false } });
  for (const name of names)
    await expect
      .element(button(name))
      .toHaveAccessibleDescription("The sensor is not connected right now. Try again when it is back online.");
});

test("SE-11 an offline sensor can't be asked, and the buttons say so", { tags: "prove" }, async () => {
  const { asked } = await open({ scomState: { ...sensorWith().scomState, isConnected: false, lastContactAt: null } });
  for (const name of names) {
    await expect
      .element(button(name))
      .toHaveAccessibleDescription("The sensor is offline. Try again when it is connected.");
    await button(name).click({ force: true });
  }
  await userEvent.hover(button("Take snapshot"));
  await expect
    .element(page.getByRole("tooltip"))
    .toHaveTextContent("The sensor is offline. Try again when it is connected.");
  expect(asked).toEqual([]);
  expect(page.getByRole("alertdialog").elements()).toHaveLength(0);
});

test("SE-11 PE-02 a viewer may take a snapshot and nothing else", async () => {
  const data = await redSquare("image/jpeg");
  const { asked } = await open({}, ({ func }) => answer(func, data, { ct: null }), viewOnlyPermissions);
  for (const name of names.slice(1)) {
    await expect.element(button(name)).toHaveAccessibleDescription("You don't have permission to edit this sensor");
  }
  await button("Take snapshot").click();
  await expect.element(card().getByRole("img", { name: `Snapshot of ${ids.sensor}` })).toBeVisible();
  expect(asked.map(({ func }) => func)).toEqual(["getSnapshot"]);
});
