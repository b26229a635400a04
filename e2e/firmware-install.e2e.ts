// Tests firmware installation on simulated sensors: success, failure with its reason, and cancellation.

import type { Page } from "@playwright/test";
import { findPageFaults } from "./faults.ts";
import { expectMessage, clearMessages } from "./messages.ts";
import { type Api, expect, newName, newSensorId, type Simulate, test } from "./world.ts";

type Made = { _id: string; token: string; owner: { _id: string } };

/** Simulates a sensor that installs five times as fast as a real one. `faults` has the simulator's format. */
async function sensorOf(api: Api, simulate: Simulate, faults = ""): Promise<string> {
  const me = await api.get<{ _id: string }>("/api/auth/user");
  const { token } = await api.post<Made>("/api/init_token", { name: newName("install"), owner: me._id });
  const id = newSensorId();
  const failing = faults === "" ? [] : ["--faults", faults];
  simulate("one", "--id", id, "--token", token, "--hurry", "5", "--rate", "1", ...failing);
  type Sensor = { scomState: { isConnected: boolean } };
  await expect
    .poll(
      async () =>
        (await api.status(`/api/sensor/${id}`)) === 200 &&
        (await api.get<Sensor>(`/api/sensor/${id}`)).scomState.isConnected,
    )
    .toBe(true);
  return id;
}

async function newestFirmware(api: Api): Promise<string> {
  const all = await api.get<{ _id: string; type: string; name: string }[]>("/api/artifact");
  return all.find(({ type, name }) => type === "APS" && name === "1.19.0-rc.1")?._id ?? "";
}

const card = (page: Page) => page.getByRole("region", { name: "Firmware installation" });

test("SE-09 FW-03 a firmware installs before one's eyes", async ({ page, apiAs, signIn, simulate }) => {
  const api = await apiAs("customer");
  const id = await sensorOf(api, simulate);
  await signIn(page, "customer");
  await page.goto(`/sensor/aps/${id}/firmware`);
  await expect(card(page).getByRole("status")).toHaveText(/^Success/);
  await api.put(`/api/sensor/${id}`, { artifact: await newestFirmware(api) });
  await expect(card(page).getByRole("status")).toHaveText(/^Installing/);
  await expect(card(page).getByRole("button", { name: "Cancel Installation" })).toBeVisible();
  await expect(card(page).getByText("75 %")).toBeVisible();
  await expect(card(page).getByRole("status")).toHaveText(/^Success/);
  await expect(card(page).getByText("1.19.0-rc.1")).toHaveCount(2);
  await expect(card(page).getByRole("button", { name: "Cancel Installation" })).toBeHidden();
});

test(
  "SE-09 a failing sensor says why, and can be tried again",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, simulate }) => {
    const api = await apiAs("customer");
    const id = await sensorOf(api, simulate, "update-hash");
    await api.put(`/api/sensor/${id}`, { artifact: await newestFirmware(api) });
    await signIn(page, "customer");
    await page.goto(`/sensor/aps/${id}/firmware`);
    await expect(card(page).getByText("HASH: SHA-256 differs")).toBeVisible();
    await expect(card(page).getByRole("status")).toHaveText(/^Failed/);
    expect(await findPageFaults(page, "everything")).toEqual([]);
    await clearMessages(page);
    await card(page).getByRole("button", { name: "Try again" }).click();
    await expectMessage(page, "Installing");
    await expect(card(page).getByText("HASH: SHA-256 differs")).toBeVisible();
  },
);

test(
  "SE-09 Cancel Installation calls a firmware back, and is off once the sensor installs",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, simulate }) => {
    const api = await apiAs("customer");
    const id = await sensorOf(api, simulate, "update-stuck");
    await signIn(page, "customer");
    await page.goto(`/sensor/aps/${id}/firmware`);
    await expect(card(page)).toBeVisible();
    await api.put(`/api/sensor/${id}`, { artifact: await newestFirmware(api) });
    const cancel = card(page).getByRole("button", { name: "Cancel Installation" });
    await expect(card(page).getByText("75 %")).toBeVisible();
    await expect(cancel).toHaveAttribute("aria-disabled", "true");
    await cancel.hover();
    await expect(page.getByRole("tooltip")).toHaveText("The installation has started and can no longer be canceled");

    // An installation is canceled immediately if the sensor has not yet received it.
    const me = await api.get<{ _id: string }>("/api/auth/user");
    const away = newSensorId();
    await api.post("/api/sensor", { owner: me._id, _id: away, type: "APS" });
    await api.put(`/api/sensor/${away}`, { artifact: await newestFirmware(api) });
    type Task = { sensorUpdateTask: { status: string | null } };
    expect((await api.get<Task>(`/api/sensor/${away}`)).sensorUpdateTask.status).toBeNull();
    await api.put(`/api/sensor/${away}`, { artifact: "" });
    expect((await api.get<Task>(`/api/sensor/${away}`)).sensorUpdateTask.status).toBe("UpdateCanceled");
  },
);
