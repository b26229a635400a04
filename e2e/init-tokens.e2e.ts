// Tests init tokens, from creation until a simulated sensor counts (IT-01).

import { pick } from "./pick.ts";
import { expect, newName, newSensorId, test } from "./world.ts";

/** At any hour, it is daytime in at least one of these places. */
const places = [
  { zone: "Europe/Berlin", coordinates: [13.4, 52.5] },
  { zone: "America/New_York", coordinates: [-74, 40.75] },
  { zone: "Asia/Tokyo", coordinates: [139.7, 35.7] },
];

/** A place where it is between 10:00 and 22:00. */
function placeAtDay() {
  const hourIn = (timeZone: string) =>
    Number(new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", hourCycle: "h23" }).format());
  const place = places.find(({ zone }) => hourIn(zone) >= 10 && hourIn(zone) < 22);
  if (place === undefined) throw new Error("night everywhere");
  return place;
}

test(
  "IT-01 an init token is created, copied, edited and deleted; its form says what is missing",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const api = await apiAs("customer");
    await signIn(page, "customer");
    await page.goto("/init-token");
    await page.getByRole("button", { name: "Create init token" }).click();
    await expect(page).toHaveURL("/init-token/new");
    const dialog = page.getByRole("dialog", { name: "New Init Token" });
    await dialog.getByRole("button", { name: "Create" }).click();
    await expect(dialog.getByText("The name is required.")).toBeVisible();
    const owner = dialog.getByRole("combobox", { name: "Owner" });
    await expect(owner).toHaveValue("Harbour Stores");
    const name = newName("Roll-out");
    await dialog.getByLabel("Name").fill(`  ${name}  `);
    await pick(owner, "Harbour Stores Old");
    await dialog.getByRole("button", { name: "Create" }).click();
    await expect(page).toHaveURL("/init-token");
    await expect(page.getByRole("cell", { name, exact: true })).toBeVisible();

    const tokens = await api.get<{ _id: string; name: string; token: string }[]>(
      `/api/init_token?name=${encodeURIComponent(name)}`,
    );
    expect(tokens).toHaveLength(1);
    await page.getByRole("row", { name: new RegExp(name) }).hover();
    await page.getByRole("button", { name: `Copy token ${name}` }).click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(tokens[0]?.token);

    await page.getByRole("cell", { name, exact: true }).click();
    await expect(page).toHaveURL(`/init-token/${tokens[0]?._id}`);
    const edit = page.getByRole("dialog", { name });
    await edit.getByLabel("Name").fill(`${name} two`);
    await edit.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row", { name: new RegExp(`${name} two`) }).hover();
    await page.getByRole("button", { name: `Delete ${name} two` }).click();
    await page.getByRole("alertdialog", { name: "Delete Init Token" }).getByRole("button", { name: "Delete" }).click();
    await expect(page.getByRole("cell", { name: `${name} two` })).toHaveCount(0);
    await expect.poll(() => api.status(`/api/init_token/${tokens[0]?._id}`)).toBe(404);
  },
);

test(
  "IT-01 who may create none gets no button, and the create dialog closes with the reason",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await signIn(page, "readonly");
    await page.goto("/init-token/new");
    await expect(page.getByRole("alert")).toContainText("Failed to create new sensor token.");
    await expect(page).toHaveURL("/init-token");
    await expect(page.getByRole("button", { name: "Create init token" })).toHaveCount(0);
    await page.getByRole("alert").getByRole("button", { name: "Close" }).click();
    await expect(page.getByRole("alert")).toHaveCount(0);
  },
);

test(
  "IT-02 a sensor enrolls with a token, comes online live, gets a location and counts",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, simulate }) => {
    const api = await apiAs("customer");
    const me = await api.get<{ _id: string; name: string }>("/api/auth/user");
    const { zone, coordinates } = placeAtDay();
    const place = {
      name: newName("Gallery"),
      owner: me._id,
      location: { geo: { type: "Point", coordinates } },
    };
    const location = await api.post<{ _id: string }>("/api/measurement", place);
    await signIn(page, "customer");
    await page.goto("/init-token/new");
    const dialog = page.getByRole("dialog", { name: "New Init Token" });
    const name = newName("First contact");
    await dialog.getByLabel("Name").fill(name);
    await expect(dialog.getByRole("combobox", { name: "Owner" })).toHaveValue(me.name);
    await dialog.getByRole("button", { name: "Create" }).click();
    await expect(page).toHaveURL("/init-token");
    const [token] = await api.get<{ token: string; owner: { name: string } }[]>(
      `/api/init_token?name=${encodeURIComponent(name)}`,
    );

    const id = newSensorId();
    await page.goto(`/sensor?sensorID=${id}`);
    await expect(page.getByText("No sensors found", { exact: true })).toBeVisible();
    const habits = ["--zone", zone, "--kind", "station", "--interval", "60", "--history", "26h"];
    simulate("one", "--id", id, "--type", "APS", "--token", token?.token ?? "", ...habits);
    const row = page.getByRole("row", { name: new RegExp(id) });
    await expect(row.getByText("Connected", { exact: true })).toBeVisible();
    await row.getByText(id).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(id);
    await pick(page.getByRole("combobox", { name: "Location" }), place.name);
    await page.getByRole("region", { name: "Unsaved changes" }).getByRole("button", { name: "Save" }).click();
    await expect
      .poll(async () => (await api.get<{ measurement: { _id: string } | null }>(`/api/sensor/${id}`)).measurement?._id)
      .toBe(location._id);

    const card = page.getByRole("region", { name: "People today" });
    const hoursOfToday = () =>
      api.get<{ data: { in: number } }[]>(`/data/v2/aggregate/json?filter=sens:${id}:counting&acc=hour&preset=today`);
    const wanted = async () => (await hoursOfToday()).reduce((sum, hour) => sum + hour.data.in, 0);
    await expect.poll(wanted).toBeGreaterThan(0);
    const shown = card.getByRole("term").filter({ hasText: /^In$/ }).locator("xpath=../dd");
    await expect.poll(async () => Number((await shown.textContent())?.replaceAll(",", "")) - (await wanted())).toBe(0);
    await card.getByRole("button", { name: "Show table" }).click();
    // One row per local hour. With clock changes, there are 23 or 25.
    await expect(card.getByRole("table").getByRole("row").nth(23)).toBeVisible();
    expect([23, 24, 25]).toContain((await card.getByRole("table").getByRole("row").count()) - 1);
  },
);
