// Tests the pages of a sensor with simulated sensors (SE-05, SE-08, SE-10, SE-11).

import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expectMessage } from "./messages.ts";
import { isConnected, startSensor } from "./simulated-sensor.ts";
import { type Api, expect, newName, newSensorId, test } from "./world.ts";

type Sensor = {
  _id: string;
  claimable: boolean;
  claimingCode: string | null;
  groups: string[];
  scomState: { isConnected: boolean; conAt: string | null };
  sensorFeatureCredentials: { username: string }[];
};

const fleet = "/api/v2/sensor?sensorType=APS&connected=connected&sortBy=_id&limit=100";

/** Waits for this number of connected sensors. */
async function fleetSensors(api: Api, atLeast: number): Promise<Sensor[]> {
  const answering = async () => {
    const { objects } = await api.get<{ objects: Sensor[] }>(fleet);
    return objects.filter(({ scomState }) => scomState.isConnected);
  };
  await expect.poll(async () => (await answering()).length).toBeGreaterThanOrEqual(atLeast);
  return answering();
}

/** Each test uses a different `nth`, and thus a different sensor. */
async function fleetSensor(api: Api, nth: number): Promise<Sensor> {
  const sensor = (await fleetSensors(api, nth + 1))[nth];
  if (sensor === undefined) throw new Error("the fleet shrank");
  return sensor;
}

async function silentSensor(api: Api): Promise<string> {
  const me = await api.get<{ _id: string }>("/api/auth/user");
  const id = newSensorId();
  await api.post("/api/sensor", { _id: id, owner: me._id, type: "APS" });
  return id;
}

async function askSensor(page: Page, name: string): Promise<void> {
  const button = remote(page).getByRole("button", { name });
  await expect(button).not.toHaveAttribute("aria-disabled", "true");
  await button.click();
}

function colorsShown(page: Page): Promise<number> {
  return page.evaluate<number>(`(() => {
    const context = Object.assign(document.createElement("canvas"), { width: 640, height: 480 }).getContext("2d");
    context.drawImage(document.querySelector('img[alt^="Snapshot of"]'), 0, 0);
    return new Set(new Uint32Array(context.getImageData(0, 0, 640, 480).data.buffer)).size;
  })()`);
}

const remote = (page: Page) => page.getByRole("region", { name: "Remote functions" });

test("SE-11 a sensor sends a picture, which is seen, taken again and saved", async ({
  page,
  apiAs,
  signIn,
  simulate,
}) => {
  // Sensors of the demo may be covered, or lose their connection at any time.
  const { id } = await startSensor(await apiAs("customer"), simulate, "APS", { isReady: isConnected });
  await signIn(page, "customer");
  await page.goto(`/sensor/${encodeURIComponent(id)}`);
  await askSensor(page, "Take snapshot");
  const picture = remote(page).getByRole("img", { name: `Snapshot of ${id}` });
  await expect(picture).toBeVisible();
  const width = () => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
  await expect.poll(width).toBe(640);
  await expect.poll(() => colorsShown(page)).toBeGreaterThan(2);
  await expect(remote(page).getByText(/^Taken \d{2} \w{3} \d{4}, \d{2}:\d{2}:\d{2} /)).toBeVisible();

  const first = await picture.getAttribute("src");
  await askSensor(page, "Reload");
  await expect(picture).not.toHaveAttribute("src", first ?? "");
  const download = page.waitForEvent("download");
  await remote(page).getByRole("link", { name: "Save picture" }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toMatch(/^snapshot_[0-9A-F]{12}_\d{8}T\d{6}Z\.png$/);
  expect((await readFile(await saved.path())).subarray(1, 4).toString()).toBe("PNG");
});

test(
  "SE-11 the upload test shows figures; the network reset requires the id",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const sensor = await fleetSensor(api, 1);
    await signIn(page, "customer");
    await page.goto(`/sensor/${sensor._id}`);
    await askSensor(page, "Start upload test");
    await expect(remote(page).getByText("The sensor's upload arrived.")).toBeVisible();
    await expect(remote(page).getByText("262,144 bytes")).toBeVisible();
    await expect(remote(page).getByText(/^[\d,]+ kbit\/s$/)).toBeVisible();

    await askSensor(page, "Reset network configuration");
    const dialog = page.getByRole("alertdialog", { name: "Reset network configuration" });
    await expect(dialog).toContainText("may stay offline until someone sets it up on site");
    await dialog.getByRole("textbox").fill(sensor._id);
    await dialog.getByRole("button", { name: "Reset", exact: true }).click();
    await expectMessage(page, `${sensor._id} will reset its network configuration in 5 seconds`);
    const connectedSince = async () => (await api.get<Sensor>(`/api/sensor/${sensor._id}`)).scomState.conAt;
    await expect.poll(connectedSince).not.toBe(sensor.scomState.conAt);
  },
);

test(
  "SE-11 a sensor that isn't there can't be asked, and says so",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const id = await silentSensor(await apiAs("customer"));
    await signIn(page, "customer");
    await page.goto(`/sensor/${id}`);
    const button = remote(page).getByRole("button", { name: "Take snapshot" });
    await expect(button).toHaveAttribute("aria-disabled", "true");
    await button.hover();
    await expect(page.getByRole("tooltip")).toHaveText("The sensor is offline. Try again when it is connected.");
  },
);

test(
  "SE-10 REST credentials are stored, never come back, and are cleared",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const sensor = await fleetSensor(api, 2);
    const secret = `harbour ${Math.random()}`;
    const answers: string[] = [];
    page.on("response", async (response) => {
      if (response.url().includes("/api/")) answers.push(await response.text().catch(() => ""));
    });
    await signIn(page, "customer");
    await page.goto(`/sensor/aps/${sensor._id}/firmware`);
    const card = page.getByRole("region", { name: "REST credentials" });
    await card.getByLabel("Username").fill("installer");
    const bar = page.getByRole("region", { name: "Unsaved changes" });
    await bar.getByRole("button", { name: "Save" }).click();
    await expect(card.getByText("The password is required")).toBeVisible();
    await card.getByRole("textbox", { name: "Password" }).fill(secret);
    await bar.getByRole("button", { name: "Save" }).click();
    await expectMessage(page, "Saved");
    await page.reload();
    await expect(card.getByLabel("Username")).toHaveValue("installer");
    await expect(card.getByRole("textbox", { name: "Password" })).toHaveValue("");
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.filter((text) => text.includes(secret))).toEqual([]);

    await card.getByRole("button", { name: "Clear credentials" }).click();
    await page
      .getByRole("alertdialog", { name: "Clear REST credentials" })
      .getByRole("button", { name: "Clear", exact: true })
      .click();
    await expect(card.getByText("No credentials stored.")).toBeVisible();
    expect((await api.get<Sensor>(`/api/sensor/${sensor._id}`)).sensorFeatureCredentials).toEqual([]);
  },
);

test(
  "SE-08 re-registration is switched on and off, and the QR dialog shows the code's link",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, baseURL }) => {
    const api = await apiAs("customer");
    const sensor = await fleetSensor(api, 3);
    await signIn(page, "customer");
    await page.goto(`/sensor/${sensor._id}`);
    const card = page.getByRole("region", { name: "Registration" });
    await expect(card.getByText(sensor.claimingCode ?? "", { exact: true })).toBeVisible();
    const bar = page.getByRole("region", { name: "Unsaved changes" });
    for (const on of [!sensor.claimable, sensor.claimable]) {
      await card.getByRole("switch", { name: "Re-registration" }).click();
      await bar.getByRole("button", { name: "Save" }).click();
      await expectMessage(page, "Saved");
      expect((await api.get<Sensor>(`/api/sensor/${sensor._id}`)).claimable).toBe(on);
    }
    await card.getByRole("button", { name: "Show QR code" }).click();
    const dialog = page.getByRole("dialog", { name: "Register this sensor" });
    await expect(dialog.getByText(`${baseURL}/sensor/register?code=${sensor.claimingCode}`)).toBeVisible();
    await expect(dialog.getByRole("img")).toBeVisible();
    await page.emulateMedia({ media: "print" });
    await expect(dialog.getByRole("img")).toBeVisible();
    await expect(page.locator("#root")).toBeHidden();
    await expect(dialog.getByRole("button", { name: "Print" })).toBeHidden();
  },
);

test(
  "SE-08 a change by somebody else does not overwrite the field being edited, but offers itself",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const id = await silentSensor(api);
    await signIn(page, "customer");
    await page.goto(`/sensor/${id}`);
    await page.getByLabel("Groups").fill("mine");
    await page.getByLabel("Groups").press("Enter");
    await api.put(`/api/sensor/${id}`, { groups: ["theirs"] });
    await expect(page.getByText("New value available: theirs")).toBeVisible();
    await expect(page.getByText(/^Changed by Harbour Stores at \d{2} \w{3} \d{4}, /)).toBeVisible();
    await expect(page.getByRole("button", { name: "mine" })).toBeVisible();
    await page.getByRole("button", { name: "Use the new groups" }).click();
    await expect(page.getByRole("button", { name: "theirs" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Unsaved changes" })).toHaveCount(0);
  },
);

test(
  "SE-05 Monitoring opens with license and location, while the page is looked at",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const support = await apiAs("support");
    const me = await api.get<{ _id: string }>("/api/auth/user");
    const id = await silentSensor(api);
    const place = await api.post<{ _id: string }>("/api/measurement", { name: newName("Doorway"), owner: me._id });
    await signIn(page, "customer");
    await page.goto(`/sensor/${id}/monitoring`);
    await expect(page).toHaveURL(`/sensor/aps/${id}/general`);
    const menu = page.getByRole("navigation", { name: id });
    const entry = menu.getByRole("link", { name: "Monitoring", exact: true });
    const says = async (reason: string) => {
      await menu.getByRole("link", { name: "General" }).hover();
      await expect(page.getByRole("tooltip")).toHaveCount(0);
      await entry.hover();
      await expect(page.getByRole("tooltip")).toHaveText(reason);
    };
    await says("Ask our support team how you can activate this option");
    await support.put(`/api/sensor/${id}/licenses`, { monitoring: true });
    await expect(entry).toHaveAttribute(
      "aria-description",
      "You need to assign a location to the sensor to use monitoring",
    );
    await says("You need to assign a location to the sensor to use monitoring");
    await api.put(`/api/sensor/${id}`, { measID: place._id });
    await expect(entry).not.toHaveAttribute("aria-disabled");
    await entry.click();
    await expect(page).toHaveURL(`/sensor/aps/${id}/monitoring`);
    await expect(page.getByRole("region", { name: "Monitoring" })).toContainText(
      "Monitoring is off for its location, so this sensor is not monitored.",
    );
    // This sensor type has no VPN or PS.Connect, so there is no Firmware tab.
    await expect(menu.getByRole("link", { name: "Firmware" })).toHaveCount(0);
    await page.goto(`/sensor/aps/${id}/firmware`);
    await expect(page).toHaveURL(`/sensor/aps/${id}/general`);
  },
);
