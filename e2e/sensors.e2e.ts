// Tests the sensor list and page (SE-01, SE-12), and live changes (LI-01).

import { expectMessage } from "./messages.ts";
import { pick } from "./pick.ts";
import { expect, newName, newSensorId, test } from "./world.ts";

type Sensor = { _id: string; type: string; owner: { _id: string; name: string } };

test(
  "SE-01 filters, order and page are kept in the URL, and Clear filters removes the filters",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await signIn(page, "support");
    await page.goto("/sensor");
    const table = page.getByRole("table", { name: "Sensors" });
    await expect(table.getByRole("row")).toHaveCount(11);
    await expect(table.getByRole("columnheader", { name: "Firmware" })).toBeVisible();

    await page.getByRole("navigation", { name: "Pages" }).getByRole("button", { name: "Page 2", exact: true }).click();
    await expect(page).toHaveURL("/sensor?skip=10");
    await page.getByRole("button", { name: "ID", exact: true }).click();
    await expect(page).toHaveURL("/sensor?sortBy=_id&sortDesc=true");
    await page.getByLabel("Sensor Type").click();
    await page.getByRole("option", { name: "ZOD" }).click();
    await expect(page).toHaveURL("/sensor?sensorType=ZOD&sortBy=_id&sortDesc=true");
    await expect(table.getByRole("cell", { name: "APS" })).toHaveCount(0);
    await page.getByLabel("Groups").fill("entrance");
    await page.getByLabel("Groups").press("Enter");
    await expect(page).toHaveURL(/groups=entrance/);
    await page.getByLabel("Search by ID").fill("zzz");
    await expect(page).toHaveURL(/sensorID=zzz/);
    await expect(page.getByText("No sensors found", { exact: true })).toBeVisible();
    const address = page.url();
    await page.goto("/location");
    await page.goto(address);
    await expect(
      page.getByRole("list", { name: "Active filters" }).getByRole("button", { name: /Remove filter/ }),
    ).toHaveCount(3);
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await expect(page).toHaveURL("/sensor?sortBy=_id&sortDesc=true");
    await expect(table.getByRole("row")).toHaveCount(11);
  },
);

test(
  "SE-01 a row leads to the page of its type, the location to its own",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const list = await api.get<{ objects: (Sensor & { measurement: { _id: string; name: string } | null })[] }>(
      "/api/v2/sensor?sensorType=PS.C1&limit=100",
    );
    const sensor = list.objects.find((one) => one.measurement !== null);
    await signIn(page, "customer");
    await page.goto(`/sensor?sensorID=${sensor?._id}`);
    await page
      .getByRole("row", { name: new RegExp(sensor?._id ?? "") })
      .getByRole("link", { name: sensor?.measurement?.name ?? "" })
      .click();
    await expect(page).toHaveURL(`/location/${sensor?.measurement?._id}/general`);
    await page.goBack();
    // The row and the link have the same target.
    await expect(page.getByRole("link", { name: sensor?._id ?? "", exact: true })).toHaveAttribute("href", /general/);
    await page.getByRole("cell", { name: sensor?._id ?? "", exact: true }).click();
    await expect(page).toHaveURL(`/sensor/psc1/${sensor?._id}/general?sensorID=${sensor?._id}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(sensor?._id ?? "");
    // The heading has the focus, and the window title is that of the page.
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
    await expect(page).toHaveTitle(`${sensor?._id} – PS.Platform`);
    await page.goBack();
    await expect(page).toHaveTitle("Sensors – PS.Platform");
  },
);

test(
  "SE-01 SE-13 deleting asks first, naming sensor and owner, if permitted",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const me = await api.get<{ _id: string; name: string }>("/api/auth/user");
    const id = newSensorId();
    await api.post("/api/sensor", { _id: id, owner: me._id, type: "APS" });
    await signIn(page, "readonly");
    await page.goto(`/sensor?sensorID=${id}`);
    await expect(page.getByRole("cell", { name: id, exact: true })).toBeVisible();
    await expect(page.getByRole("button", { name: `Delete ${id}` })).toHaveCount(0);
    await signIn(page, "customer");
    await page.goto(`/sensor?sensorID=${id}`);
    await page.getByRole("row", { name: new RegExp(id) }).hover();
    await page.getByRole("button", { name: `Delete ${id}` }).click();
    await expect(page).toHaveURL(`/sensor/delete/${id}?sensorID=${id}`);
    const dialog = page.getByRole("alertdialog", { name: "Delete Sensor" });
    await expect(dialog).toContainText(
      `You are about to delete the sensor with id= ${id} owned by ${me.name}. Are you sure?`,
    );
    await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(page).toHaveURL(`/sensor?sensorID=${id}`);
    await expect(page.getByText("No sensors found", { exact: true })).toBeVisible();
    await expect.poll(() => api.status(`/api/sensor/${id}`)).toBe(404);
  },
);

test(
  "SE-12 a sensor says since when it is connected, or that it is not",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("support");
    const me = await api.get<{ _id: string }>("/api/auth/user");
    const id = newSensorId();
    await api.post("/api/sensor", { _id: id, owner: me._id, type: "ZOD" });
    await signIn(page, "support");
    await page.goto(`/sensor?sensorID=${id}`);
    await page
      .getByRole("row", { name: new RegExp(id) })
      .getByText("Never connected")
      .hover();
    await expect(page.getByRole("tooltip")).toHaveText("Disconnected");
    // Filters the list to one connected sensor, so that no other row matches.
    let there: { _id: string } | undefined;
    type Fleet = { objects: { _id: string; scomState: { isConnected: boolean } }[] };
    await expect
      .poll(async () => {
        const { objects } = await api.get<Fleet>("/api/v2/sensor?connected=connected&limit=500");
        there = objects.find(({ scomState }) => scomState.isConnected);
        return there === undefined;
      })
      .toBe(false);
    await page.goto(`/sensor?sensorID=${there?._id}`);
    await page.getByRole("table", { name: "Sensors" }).getByText("Connected", { exact: true }).hover();
    await expect(page.getByRole("tooltip")).toHaveText(/^Connected since \d{2} \w{3} \d{4}, \d{2}:\d{2}:\d{2} /);
  },
);

test("LI-01 a change shows without reload, and only what may be viewed is sent", async ({ page, apiAs, signIn }) => {
  const customer = await apiAs("customer");
  const library = await apiAs("noLicense");
  const owner = await customer.get<{ _id: string }>("/api/auth/user");
  const stranger = await library.get<{ _id: string }>("/api/auth/user");
  const frames: string[] = [];
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => frames.push(String(payload))));
  await signIn(page, "readonly");
  const name = newName("Live place");
  await page.goto(`/location?name=${encodeURIComponent(name.slice(-6))}`);
  await expect(page.getByText("No locations found", { exact: true })).toBeVisible();
  await expect.poll(() => frames.some((frame) => frame.includes('"hello"'))).toBe(true);

  const hidden = await library.post<{ _id: string }>("/api/measurement", {
    name: `${name} hidden`,
    owner: stranger._id,
  });
  const made = await customer.post<{ _id: string }>("/api/measurement", { name, owner: owner._id });
  await expect(page.getByRole("cell", { name, exact: true })).toBeVisible();
  await customer.put(`/api/measurement/${made._id}`, { name: `${name} renamed` });
  await expect(page.getByRole("cell", { name: `${name} renamed`, exact: true })).toBeVisible();
  await customer.remove(`/api/measurement/${made._id}`);
  await expect(page.getByText("No locations found", { exact: true })).toBeVisible();
  expect(frames.some((frame) => frame.includes(made._id))).toBe(true);
  expect(frames.filter((frame) => frame.includes(hidden._id))).toEqual([]);
});

test(
  "PE-02 a sensor's form lets its owner change it and only shows it to others; a stale change asks",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, provoke }) => {
    provoke(/status of 412 .*\/api\/sensor\//);
    const api = await apiAs("customer");
    const me = await api.get<{ _id: string }>("/api/auth/user");
    const id = newSensorId();
    await api.post("/api/sensor", { _id: id, owner: me._id, type: "APS" });
    const place = await api.post<{ _id: string }>("/api/measurement", { name: newName("Doorway"), owner: me._id });
    const { name } = await api.get<{ name: string }>(`/api/measurement/${place._id}`);

    await signIn(page, "readonly");
    await page.goto(`/sensor/${id}`);
    await expect(page.getByText("You can view but not change this sensor.")).toBeVisible();
    await expect(page.getByLabel("Groups")).toHaveAttribute("readonly", "");

    await signIn(page, "customer");
    await page.goto(`/sensor/${id}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(id);
    await pick(page.getByRole("combobox", { name: "Location" }), name);
    // Save must include a group that the user is still typing.
    await page.getByLabel("Groups").fill("north side");
    const bar = page.getByRole("region", { name: "Unsaved changes" });
    await expect(bar).toContainText("Location");
    await bar.getByRole("button", { name: "Save" }).click();
    await expectMessage(page, "Saved");
    expect(await api.get(`/api/sensor/${id}`)).toMatchObject({ measurement: { name }, groups: ["north side"] });

    await page.getByLabel("Groups").fill("east side");
    await page.getByLabel("Groups").press("Enter");
    await api.put(`/api/sensor/${id}`, { groups: ["somebody else"] });
    await expect(page.getByText("Someone else has changed this sensor.")).toBeVisible();
    await bar.getByRole("button", { name: "Save" }).click();
    const conflict = page.getByRole("alertdialog", { name: "Someone else made changes" });
    await conflict.getByRole("button", { name: "Overwrite" }).click();
    await expectMessage(page, "Saved");
    expect(await api.get(`/api/sensor/${id}`)).toMatchObject({ groups: ["north side", "east side"] });

    await page.getByLabel("Groups").fill("lost");
    await page.getByRole("link", { name: "Locations" }).click();
    await page.getByRole("button", { name: "Keep editing" }).click();
    await expect(page).toHaveURL(`/sensor/aps/${id}/general`);
  },
);
