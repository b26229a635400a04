// Replaces a sensor on a phone with the camera, and at a desk from the list, with undo.

import { createLabel, launchBrowserWithCamera } from "./labels.ts";
import { findPageFaults } from "./faults.ts";
import { type Api, expect, newName, newSensorId, personas, test } from "./world.ts";

/** An APS with groups at a new location. */
async function placeSensor(api: Api): Promise<{ id: string; place: string }> {
  const owner = (await api.get<{ _id: string }>("/api/auth/user"))._id;
  const place = newName("Rear entrance");
  const { _id: measID } = await api.post<{ _id: string }>("/api/measurement", { name: place, owner });
  const id = newSensorId();
  await api.post("/api/sensor", { _id: id, type: "APS", owner });
  await api.put(`/api/sensor/${id}`, { measID, groups: ["rear"] });
  return { id, place };
}

test("a technician replaces a sensor with the phone's camera in at most five clicks", async ({
  apiAs,
  baseURL,
}, info) => {
  const label = await createLabel(await apiAs("support"), baseURL);
  const api = await apiAs("customer");
  const { id, place } = await placeSensor(api);
  const browser = await launchBrowserWithCamera(
    `${baseURL}/sensor/register?code=${label.code}`,
    info.outputPath("camera.y4m"),
  );
  try {
    const viewport = { width: 390, height: 844 };
    const page = await (await browser.newContext({ baseURL: String(baseURL), viewport, hasTouch: true })).newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    const { email, password } = personas.customer;
    await page.request.post("/api/auth/login", { data: { email, password }, headers: { origin: String(baseURL) } });
    await page.goto(`/sensor/${id}`);
    await page.getByRole("button", { name: "Replace sensor" }).tap();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByText("It will be registered to your account first.")).toBeVisible();
    expect(await findPageFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Replace", exact: true }).tap();
    await expect(dialog).toBeHidden();
    await page.getByRole("link", { name: label.id }).first().tap();
    await expect(page.getByRole("heading", { level: 1, name: label.id })).toBeVisible();
    await expect(page.getByText("Replaces", { exact: true })).toBeVisible();
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
  const next = await api.get<{ measurement: { name: string }; groups: string[] }>(`/api/sensor/${label.id}`);
  expect([next.measurement.name, next.groups]).toEqual([place, ["rear"]]);
});

test(
  "at a desk a spare of another type replaces after its losses are confirmed, and undo restores both",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const { id, place } = await placeSensor(api);
    const spare = newSensorId();
    const owner = (await api.get<{ _id: string }>("/api/auth/user"))._id;
    await api.post("/api/sensor", { _id: spare, type: "ZOD", owner });
    await signIn(page, "customer");
    await page.goto(`/sensor/${id}`);
    await page.getByRole("button", { name: "Replace sensor" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "New sensor" }).fill(spare);
    await page.getByRole("option", { name: new RegExp(spare) }).click();
    await expect(dialog.getByText("The new sensor is of type ZOD, the old one of type APS.")).toBeVisible();
    await dialog.getByRole("checkbox", { name: "Replace anyway" }).check();
    await dialog.getByRole("button", { name: "Replace", exact: true }).click();
    await expect(page.getByText("Replaced by", { exact: true })).toBeVisible();
    await page.getByRole("link", { name: "History" }).click();
    await expect(page.getByText(`Replaced by ${spare}`, { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByText("Replacement undone").first()).toBeVisible();
    await expect(page.getByRole("button", { name: "Replace sensor" })).toBeVisible();
    const back = await api.get<{ measurement: { name: string } | null }>(`/api/sensor/${id}`);
    expect(back.measurement?.name).toBe(place);
    expect((await api.get<{ measurement: null }>(`/api/sensor/${spare}`)).measurement).toBeNull();
  },
);
